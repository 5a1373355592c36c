// A ticket lock: numbers are drawn, and served one after the other.
type {:linear "tid"} Tid;
const nil: Tid;
function {:builtin "MapConst"} MapConstBool(bool): [Tid]bool;
function {:inline} {:linear "tid"} TidCollector(x: Tid): [Tid]bool { MapConstBool(false)[x := true] }

var {:layer 0,1} next: int;
var {:layer 1,2} drawn: [int]bool;
var {:layer 0,2} serving: int;
var {:layer 2,3} owner: Tid;

procedure {:atomic} {:layer 1} FETCH() returns (number: int)
modifies next;
{ number := next; next := next + 1; }
procedure {:yields} {:layer 0} {:refines "FETCH"} fetch() returns (number: int);

procedure {:atomic} {:layer 1,2} WAIT(number: int)
{ assume serving == number; }
procedure {:yields} {:layer 0} {:refines "WAIT"} wait(number: int);

procedure {:atomic} {:layer 1,2} SERVE()
modifies serving;
{ serving := serving + 1; }
procedure {:yields} {:layer 0} {:refines "SERVE"} serve();

procedure {:layer 1} {:inline 1} note(number: int)
modifies drawn;
{ drawn[number] := true; }

procedure {:layer 2} {:inline 1} set_owner(t: Tid)
modifies owner;
{ owner := t; }

function {:inline} Below(next: int, drawn: [int]bool): bool
{ next >= 0 && (forall i: int :: drawn[i] <==> 0 <= i && i < next) }

function {:inline} Entered(serving: int, drawn: [int]bool, owner: Tid): bool
{ serving >= 0 && (forall i: int :: drawn[i] <==> 0 <= i && (if owner == nil then i < serving else i <= serving)) }

procedure {:right} {:layer 2} DRAW({:linear "tid"} t: Tid) returns (number: int)
modifies drawn;
{ assume number >= 0 && !drawn[number]; drawn[number] := true; }

procedure {:yields} {:layer 1} {:refines "DRAW"} draw({:linear "tid"} t: Tid) returns (number: int)
requires {:layer 1} Below(next, drawn);
ensures {:layer 1} Below(next, drawn);
{
  yield; assert {:layer 1} Below(next, drawn);
  call number := fetch();
  call note(number);
  yield; assert {:layer 1} Below(next, drawn);
}

procedure {:right} {:layer 3} ACQUIRE({:linear "tid"} t: Tid)
modifies owner;
{ assert t != nil; assume owner == nil; owner := t; }

procedure {:yields} {:layer 2} {:refines "ACQUIRE"} acquire({:linear "tid"} t: Tid)
requires {:layer 1} Below(next, drawn);
ensures {:layer 1} Below(next, drawn);
requires {:layer 2} Entered(serving, drawn, owner);
ensures {:layer 2} Entered(serving, drawn, owner);
{
  var number: int;
  yield; assert {:layer 1} Below(next, drawn); assert {:layer 2} Entered(serving, drawn, owner);
  call number := draw(t);
  call wait(number);
  call set_owner(t);
  yield; assert {:layer 1} Below(next, drawn); assert {:layer 2} Entered(serving, drawn, owner);
}

procedure {:left} {:layer 3} RELEASE({:linear "tid"} t: Tid)
modifies owner;
{ assert t != nil && owner == t; owner := nil; }

procedure {:yields} {:layer 2} {:refines "RELEASE"} release({:linear "tid"} t: Tid)
requires {:layer 1} Below(next, drawn);
ensures {:layer 1} Below(next, drawn);
requires {:layer 2} Entered(serving, drawn, owner);
ensures {:layer 2} Entered(serving, drawn, owner);
{
  yield; assert {:layer 1} Below(next, drawn); assert {:layer 2} Entered(serving, drawn, owner);
  call serve();
  call set_owner(nil);
  yield; assert {:layer 1} Below(next, drawn); assert {:layer 2} Entered(serving, drawn, owner);
}

procedure {:yields} {:layer 3} client({:linear "tid"} t: Tid)
requires {:layer 1} Below(next, drawn);
requires {:layer 2} Entered(serving, drawn, owner);
requires {:layer 3} t != nil;
{
  yield; assert {:layer 1} Below(next, drawn); assert {:layer 2} Entered(serving, drawn, owner);
  call acquire(t);
  call release(t);
  yield; assert {:layer 1} Below(next, drawn); assert {:layer 2} Entered(serving, drawn, owner);
}
