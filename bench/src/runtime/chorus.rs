//! The round of two-phase commit as a choreography of ChoRus, over its local transport.

use super::commit::{ROUNDS, vote};
use chorus_lib::core::{ChoreoOp, Choreography, ChoreographyLocation, LocationSet, Projector};
use chorus_lib::transport::local::{LocalTransport, LocalTransportChannelBuilder};
use std::thread;

#[derive(ChoreographyLocation)]
struct Coordinator;
#[derive(ChoreographyLocation)]
struct First;
#[derive(ChoreographyLocation)]
struct Second;

struct Commit;

impl Choreography for Commit {
    type L = LocationSet!(Coordinator, First, Second);

    fn run(self, op: &impl ChoreoOp<Self::L>) {
        for round in 0..ROUNDS {
            let query = op.locally(Coordinator, |_| round);
            let at_first = op.comm(Coordinator, First, &query);
            let at_second = op.comm(Coordinator, Second, &query);
            let of_first = op.locally(First, |un| vote(0, *un.unwrap(&at_first)));
            let of_second = op.locally(Second, |un| vote(1, *un.unwrap(&at_second)));
            let first = op.comm(First, Coordinator, &of_first);
            let second = op.comm(Second, Coordinator, &of_second);
            let commit = op.locally(Coordinator, |un| *un.unwrap(&first) && *un.unwrap(&second));
            op.comm(Coordinator, First, &commit);
            op.comm(Coordinator, Second, &commit);
        }
    }
}

pub fn run() {
    let channel = LocalTransportChannelBuilder::new()
        .with(Coordinator)
        .with(First)
        .with(Second)
        .build();
    let coordinator = LocalTransport::new(Coordinator, channel.clone());
    let first = LocalTransport::new(First, channel.clone());
    let second = LocalTransport::new(Second, channel);
    thread::scope(|scope| {
        scope.spawn(move || Projector::new(Coordinator, coordinator).epp_and_run(Commit));
        scope.spawn(move || Projector::new(First, first).epp_and_run(Commit));
        scope.spawn(move || Projector::new(Second, second).epp_and_run(Commit));
    });
}
