// Two-phase commit with handlers: the coordinator (0) asks participants 1 to n, aborts at the first no and commits when
// all have said yes. Orders are thought to be obeyed where they are given, answers to be heard where they are given, and
// requests to be answered where they are made; in the end all have come to the same decision.
type {:linear "pid"} Pid = int;
function {:builtin "MapConst"} MapConstBool(bool): [int]bool;
function {:inline} {:linear "pid"} OneCollector(p: int): [int]bool { MapConstBool(false)[p := true] }
function {:inline} {:linear "pid"} SetCollector(p: [int]bool): [int]bool { p }

const n: int;
axiom n >= 1;
function {:inline} participant(p: int): bool { 1 <= p && p <= n }

// How many participants a set has: trusted.
function card(set: [int]bool): int;
axiom (forall set: [int]bool, p: int :: {card(set[p := true])}
  participant(p) && !set[p] ==> card(set[p := true]) == card(set) + 1);
axiom (forall set: [int]bool :: {card(set)} (forall p: int :: participant(p) ==> !set[p]) ==> card(set) == 0);
axiom (forall set: [int]bool :: {card(set)} 0 <= card(set) && card(set) <= n);
axiom (forall set: [int]bool, p: int :: {card(set), set[p]} participant(p) && !set[p] ==> card(set) < n);
axiom (forall set: [int]bool :: {card(set)} (forall p: int :: participant(p) ==> set[p]) ==> card(set) == n);

const unique undecided: int;
const unique committed: int;
const unique aborted: int;

var {:layer 0,5} state: [int]int;
var {:layer 0,2} votes: int;                         // how many have said yes; -1 after a no
var {:layer 0,4} {:linear "pid"} answered: [int]bool; // who has said something

function {:inline} all_answered(answered: [int]bool): bool { (forall p: int :: participant(p) ==> answered[p]) }
function {:inline} everywhere(state: [int]int, decision: int): bool
{ state[0] == decision && (forall p: int :: {state[p]} participant(p) ==> state[p] == decision) }
function {:inline} elsewhere(before: [int]int, state: [int]int): bool
{ (forall p: int :: {state[p]} p < 0 || n < p ==> state[p] == before[p]) }

// What machines do.

procedure {:atomic} {:layer 1} WRITE(p: int, decision: int)
modifies state;
{ state[p] := decision; }
procedure {:yields} {:layer 0} {:refines "WRITE"} write(p: int, decision: int);

procedure {:atomic} {:layer 1,3} REFUSE({:linear "pid"} p: int)
modifies state;
{ assert participant(p); state[p] := aborted; }
procedure {:yields} {:layer 0} {:refines "REFUSE"} refuse({:linear "pid"} p: int);

procedure {:atomic} {:layer 1,2} COUNT_YES({:linear_in "pid"} p: int) returns (all: bool)
modifies state, votes, answered;
{
  assert participant(p) && !answered[p];
  answered[p] := true;
  all := false;
  if (votes != -1) {
    votes := votes + 1;
    all := votes == n;
    if (all) { state[0] := committed; }
  }
}
procedure {:yields} {:layer 0} {:refines "COUNT_YES"} count_yes({:linear_in "pid"} p: int) returns (all: bool);

procedure {:atomic} {:layer 1,2} COUNT_NO({:linear_in "pid"} p: int) returns (first: bool)
modifies state, votes, answered;
{
  assert participant(p) && !answered[p];
  answered[p] := true;
  first := votes != -1;
  votes := -1;
  if (first) { state[0] := aborted; }
}
procedure {:yields} {:layer 0} {:refines "COUNT_NO"} count_no({:linear_in "pid"} p: int) returns (first: bool);

// Orders move left, because the coordinator has decided.

procedure {:left} {:layer 2} COMMIT(p: int)
modifies state;
{ assert participant(p) && state[0] == committed && all_answered(answered); state[p] := committed; }
procedure {:yields} {:layer 1} {:refines "COMMIT"} commit(p: int)
{
  yield;
  call write(p, committed);
  yield;
}

procedure {:left} {:layer 2} ABORT(p: int)
modifies state;
{ assert participant(p) && state[0] == aborted && votes == -1; state[p] := aborted; }
procedure {:yields} {:layer 1} {:refines "ABORT"} abort(p: int)
{
  yield;
  call write(p, aborted);
  yield;
}

// Answers: all orders are obeyed at once, and who has answered says what the count says.

function {:inline} Inv(state: [int]int, votes: int, answered: [int]bool): bool
{
  (votes == -1 || votes == card(answered))
    && (state[0] == aborted <==> votes == -1)
    && (state[0] == committed <==> votes == n)
    && (state[0] == undecided || state[0] == aborted || state[0] == committed)
}

procedure {:left} {:layer 3} YES({:linear_in "pid"} p: int)
modifies state, answered;
{
  assert participant(p) && !answered[p] && state[0] != committed;
  answered[p] := true;
  if (state[0] != aborted && all_answered(answered)) {
    state := (lambda q: int :: if 0 <= q && q <= n then committed else state[q]);
  }
}

procedure {:layer 2} {:inline 1} snapshot() returns (now: [int]int) { now := state; }

procedure {:yields} {:layer 2} {:refines "YES"} vote_yes({:linear_in "pid"} p: int)
requires {:layer 2} Inv(state, votes, answered);
ensures {:layer 2} Inv(state, votes, answered);
{
  var all: bool;
  var i: int;
  var {:layer 2} before: [int]int;
  yield; assert {:layer 2} Inv(state, votes, answered);
  call all := count_yes(p);
  call before := snapshot();
  if (all) {
    i := 1;
    while (i <= n)
    invariant {:layer 0,1,2} {:terminates} true;
    invariant {:layer 2} 1 <= i && i <= n + 1;
    invariant {:layer 2} Inv(state, votes, answered) && state[0] == committed;
    invariant {:layer 2} (forall j: int :: {state[j]} 1 <= j && j < i ==> state[j] == committed);
    invariant {:layer 2} (forall j: int :: {state[j]} j < 1 || i <= j ==> state[j] == before[j]);
    {
      async call {:sync} commit(i);
      i := i + 1;
    }
  }
  yield; assert {:layer 2} Inv(state, votes, answered);
}

procedure {:left} {:layer 3} NO({:linear_in "pid"} p: int)
modifies state, answered;
{
  assert participant(p) && !answered[p] && state[0] != committed;
  answered[p] := true;
  if (state[0] != aborted) {
    state := (lambda q: int :: if 0 <= q && q <= n then aborted else state[q]);
  }
}

procedure {:yields} {:layer 2} {:refines "NO"} vote_no({:linear_in "pid"} p: int)
requires {:layer 2} Inv(state, votes, answered);
ensures {:layer 2} Inv(state, votes, answered);
{
  var first: bool;
  var i: int;
  var {:layer 2} before: [int]int;
  yield; assert {:layer 2} Inv(state, votes, answered);
  call first := count_no(p);
  call before := snapshot();
  if (first) {
    i := 1;
    while (i <= n)
    invariant {:layer 0,1,2} {:terminates} true;
    invariant {:layer 2} 1 <= i && i <= n + 1;
    invariant {:layer 2} Inv(state, votes, answered) && state[0] == aborted;
    invariant {:layer 2} (forall j: int :: {state[j]} 1 <= j && j < i ==> state[j] == aborted);
    invariant {:layer 2} (forall j: int :: {state[j]} j < 1 || i <= j ==> state[j] == before[j]);
    {
      async call {:sync} abort(i);
      i := i + 1;
    }
  }
  yield; assert {:layer 2} Inv(state, votes, answered);
}

// Requests: each is answered at once, and the answer heard.

procedure {:left} {:layer 4} ASK({:linear_in "pid"} p: int)
modifies state, answered;
{
  assert participant(p) && !answered[p] && state[0] != committed;
  answered[p] := true;
  if (*) {
    if (state[0] != aborted && all_answered(answered)) {
      state := (lambda q: int :: if 0 <= q && q <= n then committed else state[q]);
    }
  } else {
    state[p] := aborted;
    if (state[0] != aborted) {
      state := (lambda q: int :: if 0 <= q && q <= n then aborted else state[q]);
    }
  }
}
procedure {:yields} {:layer 3} {:refines "ASK"} ask({:linear_in "pid"} p: int)
requires {:layer 2} Inv(state, votes, answered);
{
  yield; assert {:layer 2} Inv(state, votes, answered);
  if (*) {
    async call {:sync} vote_yes(p);
  } else {
    call refuse(p);
    async call {:sync} vote_no(p);
  }
  yield;
}

// One transaction: everybody is asked.

procedure {:both} {:layer 1,4} SPLIT(p: int, {:linear_in "pid"} all: [int]bool)
  returns ({:linear "pid"} one: int, {:linear "pid"} rest: [int]bool)
{ assert all[p]; one := p; rest := all[p := false]; }
procedure {:yields} {:layer 0} {:refines "SPLIT"} split(p: int, {:linear_in "pid"} all: [int]bool)
  returns ({:linear "pid"} one: int, {:linear "pid"} rest: [int]bool);

procedure {:atomic} {:layer 5} TRANSACTION({:linear_in "pid"} all: [int]bool)
modifies state;
{
  var before: [int]int;
  assert (forall p: int :: participant(p) ==> all[p]);
  assert everywhere(state, undecided);
  before := state;
  havoc state;
  assume everywhere(state, committed) || everywhere(state, aborted);
  assume elsewhere(before, state);
}

procedure {:layer 4} {:inline 1} snapshot4() returns (now: [int]int) { now := state; }

procedure {:yields} {:layer 4} {:refines "TRANSACTION"} transaction({:linear_in "pid"} all: [int]bool)
requires {:layer 2} Inv(state, votes, answered);
requires {:layer 4} (forall p: int :: participant(p) ==> all[p] && !answered[p]);
{
  var i: int;
  var {:linear "pid"} one: int;
  var {:linear "pid"} rest: [int]bool;
  var {:layer 4} before: [int]int;
  yield;
  assert {:layer 2} Inv(state, votes, answered);
  assert {:layer 4} (forall p: int :: participant(p) ==> all[p] && !answered[p]);
  call before := snapshot4();
  i := 1;
  rest := all;
  while (i <= n)
  invariant {:layer 0,1,2,3,4} {:terminates} true;
  invariant {:layer 2} Inv(state, votes, answered);
  invariant {:layer 4} 1 <= i && i <= n + 1;
  invariant {:layer 4} (forall p: int :: i <= p && p <= n ==> rest[p] && !answered[p]);
  invariant {:layer 4} i <= n ==> !answered[n];
  invariant {:layer 4} (forall p: int :: {answered[p]} 1 <= p && p < i ==> answered[p]);
  invariant {:layer 4} (everywhere(state, undecided) && i <= n) || everywhere(state, aborted) || (everywhere(state, committed) && n < i);
  invariant {:layer 4} elsewhere(before, state);
  {
    call one, rest := split(i, rest);
    async call {:sync} ask(one);
    i := i + 1;
  }
  yield;
}
