//! Room for the lanes: where each lane's line stands, wide enough for the labels between them.

use super::rows::{Party, Row, RowKind};
use super::{INDENT, MOST_LANES, WIDTH};
use plainsong_semantics::trace::Trace;

/// Where everything stands.
pub(super) struct Columns {
    /// Who stands there, from left to right.
    pub(super) parties: Vec<Party>,
    pub(super) names: Vec<String>,
    /// The column of each one's line.
    pub(super) at: Vec<usize>,
    /// Labels longer than this are cut.
    pub(super) longest_label: usize,
}

/// `-- ` before a label and ` ->` after it.
pub(super) const ARROW: usize = 6;

impl Columns {
    /// The place of a party from the left.
    pub(super) fn place(&self, party: Party) -> Option<usize> {
        self.parties.iter().position(|&other| other == party)
    }
}

/// Columns for the lanes, or nothing when they would be too many or too wide.
pub(super) fn fit(trace: &Trace, rows: &[Row]) -> Option<Columns> {
    let everyone = parties(trace, rows, |_| true);
    let active = parties(trace, rows, |party| {
        rows.iter()
            .any(|row| row.kind.parties().any(|other| other == party))
    });
    [everyone, active]
        .into_iter()
        .filter(|parties| parties.len() <= MOST_LANES)
        .find_map(|parties| {
            [48, 32, 20]
                .into_iter()
                .find_map(|longest| arrange(trace, rows, parties.clone(), longest))
        })
}

/// The lanes that are wanted, after `init` if it says anything.
fn parties(trace: &Trace, rows: &[Row], wanted: impl Fn(Party) -> bool) -> Vec<Party> {
    let init = rows.iter().any(|row| match row.kind {
        RowKind::Message { from, to }
        | RowKind::Sent { from, to }
        | RowKind::Taken { from, to } => from == Party::Init || to == Party::Init,
        RowKind::At(party) => party == Party::Init,
        RowKind::Nowhere => false,
    });
    let lanes = (0..trace.lanes.len())
        .map(Party::Lane)
        .filter(|&party| wanted(party) || addressed(rows, party));
    init.then_some(Party::Init)
        .into_iter()
        .chain(lanes)
        .collect()
}

/// Is an arrow drawn from or to it, even if only towards it?
fn addressed(rows: &[Row], party: Party) -> bool {
    rows.iter().any(|row| match row.kind {
        RowKind::Sent { to, .. } => to == party,
        RowKind::Taken { from, .. } => from == party,
        _ => false,
    })
}

fn arrange(
    trace: &Trace,
    rows: &[Row],
    parties: Vec<Party>,
    longest_label: usize,
) -> Option<Columns> {
    let names: Vec<String> = parties.iter().map(|&party| name(trace, party)).collect();
    let width = |name: &String| name.chars().count();
    let mut gaps: Vec<usize> = names
        .windows(2)
        .map(|pair| (width(&pair[0]) + width(&pair[1])).div_ceil(2) + 3)
        .collect();
    let first = INDENT + names.first().map_or(0, |name| width(name) / 2);
    let mut columns = Columns {
        parties,
        names,
        at: Vec::new(),
        longest_label,
    };
    for (left, right, wanted) in spans(&columns, rows) {
        let room: usize = gaps[left..right].iter().sum();
        let missing = wanted.saturating_sub(room);
        for (extra, gap) in gaps[left..right].iter_mut().enumerate() {
            *gap += missing / (right - left) + usize::from(extra < missing % (right - left));
        }
    }
    let mut at = first;
    columns.at.push(at);
    for gap in gaps {
        at += gap;
        columns.at.push(at);
    }
    (at < WIDTH).then_some(columns)
}

/// Which lanes each arrow spans and how much room its label wants; short ones first.
fn spans(columns: &Columns, rows: &[Row]) -> Vec<(usize, usize, usize)> {
    let mut spans: Vec<(usize, usize, usize)> = rows
        .iter()
        .filter_map(|row| {
            let label = row.label.chars().count().min(columns.longest_label);
            let (one, other) = match row.kind {
                RowKind::Message { from, to }
                | RowKind::Sent { from, to }
                | RowKind::Taken { from, to } => (columns.place(from)?, columns.place(to)?),
                RowKind::At(_) | RowKind::Nowhere => return None,
            };
            (one != other).then_some((one.min(other), one.max(other), label + ARROW + 2))
        })
        .collect();
    spans.sort_by_key(|&(left, right, wanted)| (right - left, left, wanted));
    spans
}

fn name(trace: &Trace, party: Party) -> String {
    match party {
        Party::Init => "init".to_owned(),
        Party::Lane(lane) => trace.lanes.get(lane).cloned().unwrap_or_default(),
    }
}
