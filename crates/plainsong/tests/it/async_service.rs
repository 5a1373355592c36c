//! A small service as people write it with tokio, its bug, and how the bug is shown.
//!
//! An account is a task that is asked through a channel and answers through a oneshot; it is told to
//! shut down through another. Clients look at the balance and then withdraw.

use plainsong::tokio;
use plainsong::{Explorer, FailureKind, Verdict, explore};
use tokio::sync::{mpsc, oneshot};

#[derive(Clone, Debug)]
enum Request {
    Balance(oneshot::Sender<u32>),
    Withdraw(u32, oneshot::Sender<Result<u32, String>>),
}

/// Serves requests until it is told to stop or nobody is left to ask.
async fn account(mut requests: mpsc::Receiver<Request>, mut stop: oneshot::Receiver<()>) -> u32 {
    let mut balance = 100;
    loop {
        tokio::select! {
            request = requests.recv() => match request {
                Some(Request::Balance(reply)) => {
                    reply.send(balance).ok();
                }
                Some(Request::Withdraw(amount, reply)) => {
                    let result = match balance.checked_sub(amount) {
                        Some(rest) => {
                            balance = rest;
                            Ok(rest)
                        }
                        None => Err(format!("{balance} is not enough")),
                    };
                    reply.send(result).ok();
                }
                None => return balance,
            },
            _ = &mut stop => return balance,
        }
    }
}

#[derive(Clone)]
struct Account(mpsc::Sender<Request>);

impl Account {
    /// None when the service has shut down.
    async fn balance(&self) -> Option<u32> {
        let (reply, answer) = oneshot::channel();
        self.0.send(Request::Balance(reply)).await.ok()?;
        answer.await.ok()
    }

    async fn withdraw(&self, amount: u32) -> Option<Result<u32, String>> {
        let (reply, answer) = oneshot::channel();
        self.0.send(Request::Withdraw(amount, reply)).await.ok()?;
        answer.await.ok()
    }
}

/// Looks before it withdraws, and relies on what it saw.
async fn careless(account: Account) {
    if account.balance().await >= Some(60)
        && let Some(result) = account.withdraw(60).await
    {
        result.expect("there was enough");
    }
}

/// Withdraws, and takes no for an answer.
async fn careful(account: Account) {
    if let Some(Err(text)) = account.withdraw(60).await {
        assert_eq!(text, "40 is not enough");
    }
}

/// Two clients, and somebody who may shut everything down in the middle.
fn run<F: Future<Output = ()> + 'static>(client: fn(Account) -> F, stops: bool) {
    tokio::block_on(async move {
        let (requests, inbox) = mpsc::channel(8);
        let (stop, stopped) = oneshot::channel();
        let named = |name: &str| tokio::task::Builder::new().name(name);
        let service = named("account").spawn(account(inbox, stopped));
        let requests = Account(requests);
        let ann = named("ann").spawn(client(requests.clone()));
        let bob = named("bob").spawn(client(requests));
        if stops {
            stop.send(()).ok();
            assert!([100, 40].contains(&service.await.unwrap()));
        } else {
            ann.await.unwrap();
            bob.await.unwrap();
            assert_eq!(service.await.unwrap(), 40);
            drop(stop);
        }
    });
}

#[test]
fn what_was_seen_may_be_over() {
    let report = explore(|| run(careless, false));
    assert_eq!(report.verdict, Verdict::Refuted);
    let failure = &report.failures[0];
    assert_eq!(failure.kind, FailureKind::Panic);
    let expected = "    \
account                       ann   bob
       |<---- Balance(Sender) -----|     |
       |<------- Balance(Sender) --------|
       |----------- 100 ---------->|     |
       |<- Withdraw(60, Sender) ---|     |
       |-------------- 100 ------------->|
       |<---- Withdraw(60, Sender) ------|
       |---- Err(\"40 is not enough\") --->|
       |                           |     X   <- here";
    assert_eq!(failure.picture, expected, "\n{report}");
    assert_eq!(failure.process.as_deref(), Some("bob"));
    let trace = failure.trace.as_ref().expect("a failure has a trace");
    let again = Explorer::new().replay(trace, || run(careless, false));
    assert_eq!(again.failures[0].picture, expected, "\n{again}");
}

#[test]
fn no_is_an_answer() {
    let report = explore(|| run(careful, false));
    report.assert_holds();
    assert_eq!(report.executions, 2, "ann first, or bob");
}

#[test]
fn shutting_down_in_the_middle_leaves_nobody_waiting() {
    let report = explore(|| run(careful, true));
    report.assert_holds();
}
