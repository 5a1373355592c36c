//! The benchmarks as SPIN reads them, for N members of each family.
//!
//! The models are our own and kind to SPIN: one queue per sender, receiver and kind, a receive from any member as one
//! choice, exclusive ends declared, small fields, variables that are over set to 0. A service waits at a label that
//! begins with `end`: there it may be left waiting.

/// A receive from any of the channels, as one choice.
fn any(n: usize, channel: &str, what: &str) -> String {
    let each: String = (0..n)
        .map(|i| format!(" :: {channel}[{i}]?{what}"))
        .collect();
    format!("if{each} fi")
}

/// Everybody is started at once; channels are declared before.
fn started(first: &str, member: &str) -> String {
    format!(
        "init {{ atomic {{ byte j; run {first}(); for (j : 0 .. N-1) {{ run {member} }} j = 0 }} }}\n"
    )
}

pub(super) fn ex3(n: usize) -> String {
    let pong = any(n, "pong", "_");
    let start = started("P", "Q(ping[j],pong[j])");
    format!(
        "#define N {n}
chan ping[N] = [1] of {{ bit }}; chan pong[N] = [1] of {{ bit }};
proctype Q(chan a; chan b) {{ xr a; xs b; a?_; b!0 }}
proctype P() {{ byte i; for (i : 0 .. N-1) {{ ping[i]!0 }} for (i : 0 .. N-1) {{ {pong} }} }}
{start}"
    )
}

pub(super) fn ping_sym(n: usize) -> String {
    let request = any(n, "req", "m");
    let start = started("P", "Q(j,req[j],rep[j])");
    format!(
        "#define N {n}
chan req[N] = [1] of {{ byte }}; chan rep[N] = [1] of {{ bit }};
proctype Q(byte me; chan a; chan b) {{ xs a; xr b; a!me; b?_ }}
proctype P() {{ byte i; byte m; for (i : 0 .. N-1) {{ {request}; atomic {{ rep[m]!0; m = 0 }} }} }}
{start}"
    )
}

pub(super) fn lock_server(n: usize) -> String {
    let lock = any(n, "lck", "m");
    let start = started("S", "C(j,lck[j],ack[j],unl[j])");
    format!(
        "#define N {n}
chan lck[N] = [1] of {{ byte }}; chan ack[N] = [1] of {{ bit }}; chan unl[N] = [1] of {{ bit }};
proctype C(byte me; chan l; chan a; chan u) {{ xs l; xr a; xs u; l!me; a?_; u!0 }}
proctype S() {{ byte i; byte m; for (i : 0 .. N-1) {{ {lock}; ack[m]!0; atomic {{ unl[m]?_; m = 0 }} }} }}
{start}"
    )
}

pub(super) fn two_phase_commit(n: usize) -> String {
    let vote = any(n, "vote", "m");
    let acknowledged = any(n, "ack", "_");
    let start = started("C", "A(prop[j],vote[j],dec[j],ack[j])");
    format!(
        "#define N {n}
mtype = {{ Accept, Reject, Commit, Abort }};
chan prop[N] = [1] of {{ bit }}; chan vote[N] = [1] of {{ mtype }}; chan dec[N] = [1] of {{ mtype }}; chan ack[N] = [1] of {{ bit }};
proctype A(chan p; chan v; chan d; chan k) {{ mtype m; xr p; xs v; xr d; xs k;
  p?_; if :: v!Accept :: v!Reject fi; d?m; k!0 }}
proctype C() {{ byte i; byte cnt; mtype m;
  for (i : 0 .. N-1) {{ prop[i]!0 }}
  for (i : 0 .. N-1) {{ {vote}; atomic {{ if :: m == Accept -> cnt++ :: else fi; m = 0 }} }}
  atomic {{ if :: cnt == N -> m = Commit :: else -> m = Abort fi; cnt = 0 }}
  for (i : 0 .. N-1) {{ dec[i]!m }}
  for (i : 0 .. N-1) {{ {acknowledged} }} }}
{start}"
    )
}

pub(super) fn registry(n: usize) -> String {
    let registered = any(n, "cl", "_");
    let start = started("Ma", "Cl(reg[j],cl[j])").replace("run Ma();", "run Ma(); run Rg();");
    format!(
        "#define N {n}
chan mr = [1] of {{ bit }}; chan ok = [1] of {{ bit }}; chan reg[N] = [1] of {{ bit }}; chan cl[N] = [1] of {{ bit }};
proctype Cl(chan a; chan b) {{ xr a; xs b; a?_; b!0 }}
proctype Rg() {{ byte i; mr?_; for (i : 0 .. N-1) {{ {registered} }} ok!0 }}
proctype Ma() {{ byte i; mr!0; for (i : 0 .. N-1) {{ reg[i]!0 }} ok?_ }}
{start}"
    )
}

pub(super) fn work_stealing(n: usize) -> String {
    let request = any(n, "req", "m");
    let start = started("Qu", "W(j,req[j],wrk[j])");
    format!(
        "#define N {n}
mtype = {{ Work, Term }};
chan req[N] = [1] of {{ byte }}; chan wrk[N] = [1] of {{ mtype }};
proctype W(byte me; chan a; chan b) {{ xs a; xr b;
  do :: a!me; if :: b?Work :: b?Term -> break fi od }}
proctype Qu() {{ byte i; byte m;
  for (i : 0 .. N-1) {{ {request}; atomic {{ wrk[m]!Work; m = 0 }} }}
  for (i : 0 .. N-1) {{ {request}; atomic {{ wrk[m]!Term; m = 0 }} }} }}
{start}"
    )
}

pub(super) fn map_reduce(n: usize) -> String {
    let request = any(n, "req", "m");
    let result = any(n, "res", "_");
    let start =
        started("Qu", "W(j,req[j],wrk[j],res[j])").replace("run Qu();", "run Qu(); run R();");
    format!(
        "#define N {n}
mtype = {{ Work, Term }};
chan req[N] = [1] of {{ byte }}; chan wrk[N] = [1] of {{ mtype }}; chan res[N] = [N] of {{ bit }};
proctype W(byte me; chan a; chan b; chan c) {{ xs a; xr b; xs c;
  do :: a!me; if :: b?Work -> c!0 :: b?Term -> break fi od }}
proctype Qu() {{ byte i; byte m;
  for (i : 0 .. N-1) {{ {request}; atomic {{ wrk[m]!Work; m = 0 }} }}
  for (i : 0 .. N-1) {{ {request}; atomic {{ wrk[m]!Term; m = 0 }} }} }}
proctype R() {{ byte i; for (i : 0 .. N-1) {{ {result} }} }}
{start}"
    )
}

pub(super) fn ex2(n: usize) -> String {
    let start = started("P", "Q(ping[j],pong[j])");
    format!(
        "#define N {n}
chan ping[N] = [1] of {{ bit }}; chan pong[N] = [1] of {{ bit }};
proctype Q(chan a; chan b) {{ xr a; xs b; a?_; b!0 }}
proctype P() {{ byte i; for (i : 0 .. N-1) {{ ping[i]!0; pong[i]?_ }} }}
{start}"
    )
}

pub(super) fn ping_det(n: usize) -> String {
    let start = started("P", "Q(ping[j],pong[j])");
    format!(
        "#define N {n}
chan ping[N] = [2] of {{ bit }}; chan pong[N] = [1] of {{ bit }};
proctype Q(chan a; chan b) {{ xr a; xs b; b!0; a?_; a?_ }}
proctype P() {{ byte i; for (i : 0 .. N-1) {{ ping[i]!0; ping[i]!0; pong[i]?_ }} }}
{start}"
    )
}

pub(super) fn ping_sym_twice(n: usize) -> String {
    let (first, second) = (any(n, "one", "m"), any(n, "two", "_"));
    let start =
        started("M", "Q(j,go[j],one[j],ack[j],two[j])").replace("run M();", "run M(); run L();");
    format!(
        "#define N {n}
chan go[N] = [1] of {{ bit }}; chan one[N] = [1] of {{ byte }}; chan ack[N] = [1] of {{ bit }}; chan two[N] = [1] of {{ bit }};
proctype Q(byte me; chan g; chan o; chan a; chan t) {{ xr g; xs o; xr a; xs t; g?_; o!me; a?_; t!0 }}
proctype M() {{ byte i; byte m;
  for (i : 0 .. N-1) {{ go[i]!0 }}
  for (i : 0 .. N-1) {{ {first}; atomic {{ ack[m]!0; m = 0 }} }} }}
proctype L() {{ byte i; for (i : 0 .. N-1) {{ {second} }} }}
{start}"
    )
}

pub(super) fn database(n: usize) -> String {
    let request = any(n, "req", "m,k");
    let start = started("Db", "C(j,req[j],res[j],put[j],look[j])");
    format!(
        "#define N {n}
mtype = {{ Alloc, Lookup, Free, Taken }};
chan req[N] = [1] of {{ byte, mtype }}; chan res[N] = [1] of {{ mtype }}; chan put[N] = [1] of {{ bit }}; chan look[N] = [1] of {{ bit }};
proctype Db() {{ byte m; mtype k;
end1: {request};
  if :: k == Lookup -> look[m]!0
     :: k == Alloc -> if :: res[m]!Free; put[m]?_ :: res[m]!Taken fi fi;
  atomic {{ m = 0; k = 0; goto end1 }} }}
proctype C(byte me; chan q; chan r; chan s; chan l) {{ xs q; xr r; xs s; xr l;
  if :: q!me,Alloc; if :: r?Free -> s!0 :: r?Taken fi :: q!me,Lookup; l?_ fi }}
{start}"
    )
}

pub(super) fn databases(n: usize) -> String {
    let request = any(n, "req", "m,k");
    let start = started("Db", "W(work[j]); run C(j,req[j],look[j])");
    format!(
        "#define N {n}
mtype = {{ Alloc, Lookup }};
chan req[N] = [1] of {{ byte, mtype }}; chan work[N] = [N] of {{ byte, mtype }}; chan look[N] = [1] of {{ bit }};
proctype Db() {{ byte m; mtype k; byte w;
end1: {request};
  select (w : 0 .. N-1);
  work[w]!m,k;
  atomic {{ m = 0; k = 0; w = 0; goto end1 }} }}
proctype W(chan q) {{ byte m; mtype k; xr q;
end2: q?m,k;
  if :: k == Lookup -> look[m]!0 :: else fi;
  atomic {{ m = 0; k = 0; goto end2 }} }}
proctype C(byte me; chan q; chan l) {{ xs q; xr l;
  if :: q!me,Alloc :: q!me,Lookup; l?_ fi }}
{start}"
    )
}

pub(super) fn firewall(n: usize) -> String {
    let request = any(n, "req", "m");
    let start = started("Fw", "C(j,req[j],res[j])").replace("run Fw();", "run Fw(); run S();");
    format!(
        "#define N {n}
chan req[N] = [1] of {{ byte }}; chan res[N] = [1] of {{ bit }}; chan fwd = [1] of {{ bit }}; chan back = [1] of {{ bit }};
proctype S() {{ xr fwd; xs back;
end1: fwd?_; back!0; goto end1 }}
proctype Fw() {{ byte m; xs fwd; xr back;
end2: {request}; fwd!0; back?_; atomic {{ res[m]!0; m = 0; goto end2 }} }}
proctype C(byte me; chan q; chan r) {{ xs q; xr r; q!me; r?_ }}
{start}"
    )
}

pub(super) fn parikh(_: usize) -> String {
    "mtype = { Init, Put, Bye };
chan req = [2] of { mtype }; chan ok = [1] of { bit };
proctype S() { mtype m; xr req; xs ok;
  req?m; assert(m == Init); ok!0;
  do :: req?m; if :: m == Put :: m == Bye -> break :: else -> assert(false) fi od }
proctype C() { xs req; xr ok; req!Init; ok?_; req!Put; req!Bye }
init { atomic { run S(); run C() } }
"
    .to_owned()
}

pub(super) fn two_buyers(_: usize) -> String {
    "mtype = { Yes, No };
chan title = [1] of { bit }; chan quote[2] = [1] of { bit }; chan share = [1] of { bit };
chan offer = [1] of { mtype }; chan details = [1] of { bit }; chan date = [1] of { bit };
proctype First() { title!0; quote[0]?_; share!0 }
proctype Second() { quote[1]?_; share?_; if :: offer!Yes; details!0; date?_ :: offer!No fi }
proctype Seller() { title?_; quote[0]!0; quote[1]!0; if :: offer?Yes -> details?_; date!0 :: offer?No fi }
init { atomic { run First(); run Second(); run Seller() } }
"
    .to_owned()
}

pub(super) fn file_store(n: usize) -> String {
    let request = any(n, "req", "m,k");
    let start = started(
        "Ma",
        "T(tag[j],tagged[j]); run D(blob[j]); run C(j,req[j],res[j],kept[j])",
    );
    let all_tags = "for (i : 0 .. N-1) { tag[i]!0; tagged[i]?_ }";
    format!(
        "#define N {n}
mtype = {{ AddBlob, GetTag, AddTag }};
chan req[N] = [1] of {{ byte, mtype }}; chan res[N] = [1] of {{ bit }};
chan tag[N] = [1] of {{ bit }}; chan tagged[N] = [1] of {{ bit }};
chan blob[N] = [N] of {{ byte }}; chan kept[N] = [1] of {{ bit }};
proctype Ma() {{ byte i; byte m; mtype k;
end1: {request};
  if :: k == AddBlob
     :: k == GetTag -> {all_tags}
     :: k == AddTag -> {all_tags}; {all_tags} fi;
  atomic {{ res[m]!0; i = 0; m = 0; k = 0; goto end1 }} }}
proctype T(chan q; chan r) {{ xr q; xs r;
end2: q?_; r!0; goto end2 }}
proctype D(chan q) {{ byte m; xr q;
end3: q?m; atomic {{ kept[m]!0; m = 0; goto end3 }} }}
proctype C(byte me; chan q; chan r; chan k) {{ byte d; xs q; xr r; xr k;
  if :: q!me,AddBlob; r?_; select (d : 0 .. N-1); atomic {{ blob[d]!me; d = 0 }} k?_
     :: q!me,GetTag; r?_
     :: q!me,AddTag; r?_ fi }}
{start}"
    )
}
