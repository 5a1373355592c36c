//! Small songs.

/// Everything holds.
pub(crate) const FINE: &str = "\
sort Client;

message Hello(from: Client);

process server {
    for c in Client {
        receive Hello(who) from any client;
    }
}

process client[c: Client] {
    var done: bool = false;
    send Hello(c) to server;
    done = true;
}

property all_done: finally forall c: Client :: client[c].done;
";

/// Everything holds, and every execution has to be gone through to see it.
pub(crate) const WATCHED: &str = "\
sort Client;

message Hello(from: Client);

process server {
    var seen: nat = 0;
    for c in Client {
        receive Hello(who) from any client;
        seen += 1;
    }
}

process client[c: Client] {
    send Hello(c) to server;
}

property never_more: always server.seen <= Client.len();
";

/// `same` is refuted, `some_order` holds.
pub(crate) const RACE: &str = "\
sort Client;

message Hello(from: Client);

process server {
    var first: option<Client> = none;
    for c in Client {
        receive Hello(who) from any client[d];
        if first == none {
            first = some(who);
        }
    }
}

process client[c: Client] {
    send Hello(c) to server;
}

property some_order: finally server.first != none;
property same: finally forall c: Client :: server.first == some(c);
";

/// Both wait for the other.
pub(crate) const DEADLOCK: &str = "\
message Ping;
message Pong;

process left {
    receive Pong from right;
    send Ping to right;
}

process right {
    receive Ping from left;
    send Pong to left;
}
";

/// An assertion that fails when `n` is chosen badly.
pub(crate) const ASSERTION: &str = "\
message Number(n: nat);

process source {
    let n = choose 0..4;
    send Number(n) to sink;
}

process sink {
    receive Number(n) from source;
    assert n < 3;
}
";

/// Counts for ever: as many states as anybody wants to wait for.
pub(crate) const ENDLESS: &str = "\
message Tick(n: nat);

daemon process clock {
    var n: nat = 0;
    loop {
        send Tick(n) to clock;
        receive Tick(m) from clock;
        n = m + 1;
    }
}

property small: always clock.n < 1000000000;
";

/// An action system whose property is refuted.
pub(crate) const ACTIONS: &str = "\
sort Tid;

var owner: option<Tid> = none;

action Acquire(t: Tid) {
    assume owner == none;
    owner = some(t);
    async Release(t);
}

action Release(t: Tid) {
    assert owner == some(t);
    owner = none;
}

init {
    for t in Tid {
        async Acquire(t);
    }
}

property free: finally owner == none;
property never_held: always owner == none;
";

/// A choreography that keeps its promise.
pub(crate) const LINE: &str = "\
choreography swap(x: int, y: int) {
    endpoint a {
        var v: int = x;
        var t: int = 0;
    }
    endpoint b {
        var v: int = y;
        var t: int = 0;
    }
    ensures a.v == old(b.v) && b.v == old(a.v);
    a.t = a.v;
    b.t = b.v;
    a.v = b.t;
    b.v = a.t;
}
";

/// A property that only an engine which is not built may answer.
pub(crate) const BY_ANOTHER: &str = "\
message Hello;

process a {
    send Hello to b;
}

process b {
    var got: bool = false;
    receive Hello from a;
    got = true;
}

property got by refine: finally b.got;
";

/// Does not compile: `servr` is a slip.
pub(crate) const SLIP: &str = "\
message Hello;

process server {
    receive Hello;
}

process client {
    send Hello to servr;
}
";

/// `quiet` is refuted when the reply comes first: a race decides.
pub(crate) const OVERTAKES: &str = "\
message Order;
message Cancel;
message Reply;
message Closed;

process customer {
    var told: bool = false;
    send Order to worker;
    send Cancel to desk;
    receive {
        Reply from worker => {
            told = true;
            receive Closed from desk;
        }
        Closed from desk => { receive Reply from worker; }
    }
}

process desk {
    receive Cancel from customer;
    send Closed to customer;
}

process worker {
    receive Order from customer;
    send Reply to customer;
}

property quiet: finally !customer.told;
";
