//! Which sizes to try next, where nobody chose any.

use plainsong_driver::larger_sizes::Further;
use plainsong_driver::plan::Plan;
use plainsong_driver::sizes::Origin;
use plainsong_report::stream::{self, Record};
use std::collections::BTreeMap;

/// The line `sizes`: which ones were taken, what was seen at the next ones, and what to try.
pub(super) fn suggestion(plan: &Plan, further: Option<&Further>) -> String {
    let tables = plan.questions.iter().map(|planned| &planned.sizes);
    let free: BTreeMap<&String, i64> = tables
        .flatten()
        .filter(|(_, chosen)| chosen.origin == Origin::Default)
        .map(|(name, chosen)| (name, chosen.high))
        .collect();
    if free.is_empty() {
        return String::new();
    }
    let sizes = |more: i64| {
        let sizes = free
            .iter()
            .map(|(name, size)| format!("{name}={}", size + more));
        sizes.collect::<Vec<_>>()
    };
    let seen = further.map_or_else(String::new, |further| {
        let sizes = sizes(1).join(", ");
        let of = match further.is_partial {
            true => "of what was quick to see, ",
            false => "",
        };
        match (further.is_whole, &further.seen[..]) {
            (true, _) => format!("; {of}nothing wrong at {sizes} either"),
            (false, "") => format!("; no answer at {sizes}"),
            (false, seen) => format!("; {of}nothing wrong in the first {seen} at {sizes}"),
        }
    });
    let more = match further {
        Some(further) if further.is_whole => 2,
        _ => 1,
    };
    let next: Vec<String> = sizes(more)
        .iter()
        .map(|size| format!("--size {size}"))
        .collect();
    format!(
        "  sizes      {} by default{seen}; next: {}, or --grow\n",
        sizes(0).join(", "),
        next.join(" or "),
    )
}

/// The same for scripts.
pub(super) fn further_record(file: &str, further: &Further) -> Record {
    stream::further(file, &further.bound, further.is_whole, &further.seen)
}
