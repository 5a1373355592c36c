// Asynchronous increments and decrements, in the end nothing has changed.
var {:layer 0,1} x: int;

procedure {:left} {:layer 1} INC()
modifies x;
{ x := x + 1; }
procedure {:yields} {:layer 0} {:refines "INC"} inc();

procedure {:left} {:layer 1} DEC()
modifies x;
{ x := x - 1; }
procedure {:yields} {:layer 0} {:refines "DEC"} dec();

procedure {:layer 1} {:inline 1} snapshot() returns (now: int)
{ now := x; }

procedure {:yields} {:layer 1} {:refines "SKIP"} main(n: int)
requires {:layer 1} n >= 0;
{
  var i: int;
  var {:layer 1} before: int;
  yield;
  call before := snapshot();
  i := 0;
  while (i < n)
  invariant {:layer 0,1} {:terminates} true;
  invariant {:layer 1} 0 <= i && i <= n;
  invariant {:layer 1} x == before;
  {
    async call {:sync} inc();
    async call {:sync} dec();
    i := i + 1;
  }
  yield;
}
procedure {:both} {:layer 2} SKIP(n: int) { }
