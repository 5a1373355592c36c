//! Protocols in Rust that are songs too: the tests compare their counts, the benchmarks their times.

pub(crate) mod chain;
pub(crate) mod election;

/// So many named mailboxes: what to send by, and what to receive from.
pub(crate) fn mailboxes<T: plainsong::Message>(
    name: &str,
    number: usize,
) -> (Vec<plainsong::Sender<T>>, Vec<plainsong::Receiver<T>>) {
    (0..number)
        .map(|index| plainsong::channel(format!("{name} {index}")))
        .unzip()
}
