// Tasks are handed out, processed and collected; every task is finished in the end.
type {:linear "task"} Task = int;
function {:builtin "MapConst"} MapConstBool(bool): [int]bool;
function {:inline} {:linear "task"} OneCollector(x: int): [int]bool { MapConstBool(false)[x := true] }
function {:inline} {:linear "task"} SetCollector(x: [int]bool): [int]bool { x }

var {:layer 0,3} status: [int]int;

procedure {:left} {:layer 1} GET({:linear "task"} t: int)
modifies status;
{ assert status[t] == 0; status[t] := 1; }
procedure {:yields} {:layer 0} {:refines "GET"} get({:linear "task"} t: int);

procedure {:left} {:layer 1} PROCESS({:linear "task"} t: int)
modifies status;
{ assert status[t] == 1; status[t] := 2; }
procedure {:yields} {:layer 0} {:refines "PROCESS"} process({:linear "task"} t: int);

procedure {:left} {:layer 1} COLLECT({:linear_in "task"} t: int)
modifies status;
{ assert status[t] == 2; status[t] := 3; }
procedure {:yields} {:layer 0} {:refines "COLLECT"} collect({:linear_in "task"} t: int);

procedure {:left} {:layer 2} CLIENT({:linear_in "task"} t: int)
modifies status;
{ assert status[t] == 0; status[t] := 3; }
procedure {:yields} {:layer 1} {:refines "CLIENT"} client({:linear_in "task"} t: int)
{
  yield;
  call get(t);
  call process(t);
  async call {:sync} collect(t);
  yield;
}

procedure {:yields} {:layer 0} {:refines "SPLIT"} split(i: int, {:linear_in "task"} all: [int]bool)
  returns ({:linear "task"} one: int, {:linear "task"} rest: [int]bool);
procedure {:both} {:layer 1,2} SPLIT(i: int, {:linear_in "task"} all: [int]bool)
  returns ({:linear "task"} one: int, {:linear "task"} rest: [int]bool)
{ assert all[i]; one := i; rest := all[i := false]; }

procedure {:atomic} {:layer 3} MAIN(n: int, {:linear_in "task"} all: [int]bool)
modifies status;
{
  var before: [int]int;
  assert (forall i: int :: 0 <= i && i < n ==> all[i] && status[i] == 0);
  before := status;
  havoc status;
  assume (forall i: int :: {status[i]} 0 <= i && i < n ==> status[i] == 3);
  assume (forall i: int :: {status[i]} i < 0 || n <= i ==> status[i] == before[i]);
}
procedure {:layer 2} {:inline 1} snapshot() returns (now: [int]int) { now := status; }

procedure {:yields} {:layer 2} {:refines "MAIN"} main(n: int, {:linear_in "task"} all: [int]bool)
requires {:layer 2} n >= 0;
{
  var i: int;
  var {:linear "task"} one: int;
  var {:linear "task"} rest: [int]bool;
  var {:layer 2} before: [int]int;
  yield;
  call before := snapshot();
  i := 0;
  rest := all;
  while (i < n)
  invariant {:layer 0,1,2} {:terminates} true;
  invariant {:layer 2} 0 <= i && i <= n;
  invariant {:layer 2} (forall j: int :: i <= j && j < n ==> rest[j]);
  invariant {:layer 2} (forall j: int :: {status[j]} 0 <= j && j < i ==> status[j] == 3);
  invariant {:layer 2} (forall j: int :: {status[j]} j < 0 || i <= j ==> status[j] == before[j]);
  {
    call one, rest := split(i, rest);
    async call {:sync} client(one);
    i := i + 1;
  }
  yield;
}
