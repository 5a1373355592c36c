//! SPIN on the same protocols: the size at which it stops within 60 s of CPU time and 8 GB, next to the time for any
//! size. `PLAINSONG_SPIN_SECONDS` sets another limit, for a quick look; 0 leaves SPIN out.
//!
//! The models are our own and kind to SPIN: one queue per sender, receiver and kind, a receive from any member as one
//! choice, exclusive ends declared, small fields. Needs `spin` and `gcc` (Debian's packages); without them the table
//! says so.

use crate::measure::milliseconds;
use std::path::Path;
use std::process::Command;

/// The limit of the paper that the benchmarks come from.
const SECONDS: u32 = 60;
const KILOBYTES: u64 = 8 * 1024 * 1024;
/// Setting up its memory takes SPIN this long.
const AT_ONCE: f64 = 0.5;
/// Larger sizes are not tried.
const MOST: usize = 40;

/// Prints the table.
pub fn table() {
    let limit = std::env::var("PLAINSONG_SPIN_SECONDS");
    let limit: u32 = limit.ok().and_then(|n| n.parse().ok()).unwrap_or(SECONDS);
    if limit == 0 {
        return;
    }
    println!("\nSPIN for growing N, within {limit} s and 8 GB, beside a line for any N");
    println!(
        "{:<12} {:>10} {:>20} {:>10}",
        "benchmark", "any N", "SPIN", "SPIN stops"
    );
    let folder = std::env::temp_dir().join("plainsong-bench-spin");
    if std::fs::create_dir_all(&folder).is_err() || Command::new("spin").arg("-V").output().is_err()
    {
        println!("(there is no `spin` here)");
        return;
    }
    for (name, model) in MODELS {
        let (last, failed) = largest(|n| run(&folder, &model(n), limit));
        let passed = last.map_or("-".to_owned(), |(n, seconds)| {
            format!("N={n} in {seconds:.1} s")
        });
        let failed = failed.map_or("-".to_owned(), |n| format!("N={n}"));
        let ours = milliseconds(super::line(name));
        println!("{name:<12} {ours:>10} {passed:>20} {failed:>10}");
    }
}

/// The largest size that passes, with its seconds, and the first that does not. Sizes that cost nothing are leapt over.
fn largest(run: impl Fn(usize) -> Option<f64>) -> (Option<(usize, f64)>, Option<usize>) {
    let mut last: Option<(usize, f64)> = None;
    let mut failed = None;
    loop {
        let (passed, seconds) = last.unwrap_or((0, 0.0));
        let leap = if seconds < AT_ONCE && failed.is_none() {
            4
        } else {
            1
        };
        let next = passed + leap;
        if failed == Some(next) || next > MOST {
            return (last, failed);
        }
        match run(next) {
            Some(seconds) => last = Some((next, seconds)),
            None => failed = Some(next),
        }
    }
}

/// The CPU seconds of one instance, or nothing when it hits a limit.
fn run(folder: &Path, model: &str, limit: u32) -> Option<f64> {
    std::fs::write(folder.join("m.pml"), model).ok()?;
    let script = format!(
        "spin -a m.pml >/dev/null && gcc -std=gnu99 -O -DSAFETY -DVECTORSZ=4096 -o pan pan.c 2>/dev/null && \
         ( ulimit -v {KILOBYTES}; ulimit -t {limit}; TIMEFORMAT='%U'; time ./pan -m10000000 > pan.out ) 2>&1 | tail -1"
    );
    let output = Command::new("bash")
        .arg("-c")
        .arg(script)
        .current_dir(folder)
        .output()
        .ok()?;
    let told = std::fs::read_to_string(folder.join("pan.out")).ok()?;
    let fine = told.contains("errors: 0")
        && !told.contains("out of memory")
        && !told.contains("max search depth too small");
    let seconds = String::from_utf8_lossy(&output.stdout)
        .trim()
        .parse()
        .ok()?;
    fine.then_some(seconds)
}

type Model = fn(usize) -> String;

const MODELS: &[(&str, Model)] = &[
    ("ex3", ex3),
    ("pingiter", ex3),
    ("pingsym", ping_sym),
    ("lockserver", lock_server),
    ("2pcommit", two_phase_commit),
    ("registry", registry),
    ("worksteal", work_stealing),
    ("mapreduce", map_reduce),
];

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

fn ex3(n: usize) -> String {
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

fn ping_sym(n: usize) -> String {
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

fn lock_server(n: usize) -> String {
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

fn two_phase_commit(n: usize) -> String {
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

fn registry(n: usize) -> String {
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

fn work_stealing(n: usize) -> String {
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

fn map_reduce(n: usize) -> String {
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
