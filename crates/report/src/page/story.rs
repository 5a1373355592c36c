//! What the page's script is told, as JSON.

use super::Page;
use crate::lasso::lasso;
use crate::trace_file::kind_word;
use crate::{Difference, Text, counterexample};
use plainsong_diagnostics::{Span, line_and_column};
use plainsong_semantics::changes::{PartChange, differences, told};
use plainsong_semantics::property_values::Truths;
use plainsong_semantics::trace::{Change, Ending, Event, FailureKind, Sent, Trace, Waiting};
use serde_json::{Value, json};

/// Everything on the page.
pub(super) fn story(page: &Page<'_>) -> Value {
    let header = &page.saved.header;
    let source = page.source.unwrap_or(Text {
        name: &header.file,
        text: "",
    });
    let mut runs = vec![run(source, &page.saved.trace, page.truths)];
    if let Some(race) = page.race {
        runs.push(run(source, &race.alternative, page.other_truths));
    }
    let sizes = header.sizes.iter();
    let sizes = sizes.map(|(name, size)| (name.clone(), size.to_string()));
    let limits = header.limits.iter();
    let limits = limits.map(|(name, limit)| (name.clone(), limit.clone()));
    let bound: Vec<(String, String)> = sizes.chain(limits).collect();
    json!({
        "tool": header.tool,
        "file": source.name,
        "property": header.property,
        "bound": bound,
        "source": source.text.lines().collect::<Vec<_>>(),
        "note": page.note,
        "race": page.race.map(|race| json!({
            "word": race.kind.word(),
            "sentence": race.sentence,
            "event": race.event,
            "instead": race.instead,
        })),
        "runs": runs,
    })
}

/// Two executions. The text of the song is that of the first.
pub(super) fn comparison(
    (left, page): (&str, &Page<'_>),
    (right, other): (&str, &Page<'_>),
    difference: &Difference,
) -> Value {
    let alone = |page: &Page<'_>| {
        story(&Page {
            race: None,
            ..*page
        })
    };
    let (mut told, mut theirs) = (alone(page), alone(other));
    let run = theirs["runs"][0].take();
    told["runs"].as_array_mut().expect("runs").push(run);
    told["others"] = json!({ "file": theirs["file"], "source": theirs["source"] });
    told["compared"] = json!({
        "names": [left, right],
        "same": difference.same,
        "sentence": difference.sentence,
        "parting": difference.parting,
    });
    told
}

fn run(source: Text<'_>, trace: &Trace, truths: &[Truths]) -> Value {
    let truth = |one: &Truths| json!({ "property": one.property, "atTheEnd": one.at_the_end, "holds": one.holds });
    json!({
        "lanes": trace.lanes,
        "start": trace.start.iter().map(change).collect::<Vec<_>>(),
        "events": trace.events.iter().map(|one| event(source, one)).collect::<Vec<_>>(),
        "loop": lasso(trace),
        "ending": ending(source, trace),
        "truths": truths.iter().map(truth).collect::<Vec<_>>(),
    })
}

fn change(change: &Change) -> Value {
    let all = differences(&change.variable, &change.before, &change.after);
    let within = all.iter().filter(|part| !part.is_whole(&change.variable));
    let parts: Vec<String> = within.map(PartChange::now_and_before).collect();
    json!({
        "variable": change.variable,
        "before": change.before,
        "after": change.after,
        "told": told(change).join(", "),
        "parts": parts,
    })
}

fn sent(sent: &Sent) -> Value {
    json!({ "message": sent.message, "label": sent.label, "from": sent.from, "to": sent.to })
}

fn event(source: Text<'_>, event: &Event) -> Value {
    json!({
        "lane": event.lane,
        "kind": kind_word(event.kind),
        "label": event.label,
        "peer": event.peer,
        "message": event.message,
        "sends": event.sends.iter().map(sent).collect::<Vec<_>>(),
        "choices": event.choices,
        "changes": event.changes.iter().map(change).collect::<Vec<_>>(),
        "line": line(source, event.span),
    })
}

fn ending(source: Text<'_>, trace: &Trace) -> Value {
    let (verdict, bad, place) = match &trace.ending {
        Ending::Final => ("fine", false, None),
        Ending::Cut => ("cut off", false, None),
        Ending::Discarded => ("discarded", false, None),
        Ending::Violated { span, .. } => ("REFUTED", true, Some(*span)),
        Ending::Failed(failure) if failure.kind == FailureKind::Resource => {
            ("unknown", false, Some(failure.span))
        }
        Ending::Failed(failure) => ("REFUTED", true, Some(failure.span)),
        Ending::Deadlock(waiting) => ("REFUTED", true, waiting.first().map(|one| one.span)),
    };
    let waiting = match &trace.ending {
        Ending::Deadlock(waiting) => &waiting[..],
        _ => &[],
    };
    let wait = |one: &Waiting| json!({ "lane": one.lane, "what": one.what, "line": line(source, one.span) });
    json!({
        "verdict": verdict,
        "bad": bad,
        "reason": counterexample::reason(source, trace),
        "here": crate::picture::here(trace),
        "line": place.map(|span| line(source, span)),
        "waiting": waiting.iter().map(wait).collect::<Vec<_>>(),
        "undelivered": trace.undelivered.iter().map(sent).collect::<Vec<_>>(),
    })
}

fn line(source: Text<'_>, span: Span) -> Option<u32> {
    (!source.text.is_empty()).then(|| line_and_column(source.text, span.start).line)
}
