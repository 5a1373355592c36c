//! Events as short sentences: `server receives Lock(client[0]) from client[0]`.

use crate::trace::{Event, EventKind};

/// What happens in an event, where the processes have these names.
pub fn words(lanes: &[String], event: &Event) -> String {
    let name = |lane: Option<usize>| {
        lane.and_then(|lane| lanes.get(lane))
            .map_or("init", String::as_str)
    };
    let (who, label, peer) = (name(event.lane), &event.label, name(event.peer));
    let mut text = match event.kind {
        EventKind::Send => format!("{who} sends {label} to {peer}"),
        EventKind::Receive => format!("{who} receives {label} from {peer}"),
        EventKind::Handle => format!("{who} handles {label} from {peer}"),
        EventKind::Timeout => format!("{who} gives up waiting"),
        EventKind::Start => format!("{who} starts"),
        EventKind::Init => "init".to_owned(),
        EventKind::Crash => format!("{who} crashes"),
        EventKind::Restart => format!("{who} restarts"),
        EventKind::Lose => format!("{label} to {who} is lost"),
        EventKind::Duplicate => format!("{label} of {who} is duplicated"),
        EventKind::Transfer => format!("{who} takes {label} from {peer}"),
        EventKind::Act | EventKind::Local => match event.lane {
            Some(_) => format!("{who}: {label}"),
            None => label.clone(),
        },
    };
    if !event.choices.is_empty() {
        text.push_str(&format!(" ({})", event.choices.join(", ")));
    }
    text
}
