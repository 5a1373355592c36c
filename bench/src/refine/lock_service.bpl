// A lock service and its client: who has the lock is called back, reads and writes the counter in two steps and releases.
type {:linear "tid"} Tid;
const nil: Tid;
function {:builtin "MapConst"} MapConstBool(bool): [Tid]bool;
function {:inline} {:linear "tid"} TidCollector(x: Tid): [Tid]bool { MapConstBool(false)[x := true] }

var {:layer 0,2} lock: Tid;
var {:layer 0,3} x: int;

procedure {:right} {:layer 1,2} TAKE({:linear "tid"} t: Tid)
modifies lock;
{ assert t != nil; assume lock == nil; lock := t; }
procedure {:yields} {:layer 0} {:refines "TAKE"} take({:linear "tid"} t: Tid);

procedure {:both} {:layer 1} READ({:linear "tid"} t: Tid) returns (v: int)
{ assert t != nil && lock == t; v := x; }
procedure {:yields} {:layer 0} {:refines "READ"} read({:linear "tid"} t: Tid) returns (v: int);

procedure {:both} {:layer 1} WRITE({:linear "tid"} t: Tid, v: int)
modifies x;
{ assert t != nil && lock == t; x := v; }
procedure {:yields} {:layer 0} {:refines "WRITE"} write({:linear "tid"} t: Tid, v: int);

procedure {:left} {:layer 1} RELEASE({:linear_in "tid"} t: Tid)
modifies lock;
{ assert t != nil && lock == t; lock := nil; }
procedure {:yields} {:layer 0} {:refines "RELEASE"} release({:linear_in "tid"} t: Tid);

procedure {:left} {:layer 2} CALLBACK({:linear_in "tid"} t: Tid)
modifies x, lock;
{ assert t != nil && lock == t; x := x + 1; lock := nil; }
procedure {:yields} {:layer 1} {:refines "CALLBACK"} callback({:linear_in "tid"} t: Tid)
{
  var v: int;
  yield;
  call v := read(t);
  call write(t, v + 1);
  async call {:sync} release(t);
  yield;
}

procedure {:atomic} {:layer 3} ACQUIRE({:linear_in "tid"} t: Tid)
modifies x;
{ assert t != nil; x := x + 1; }
procedure {:yields} {:layer 2} {:refines "ACQUIRE"} acquire({:linear_in "tid"} t: Tid)
requires {:layer 2} t != nil;
{
  yield;
  call take(t);
  async call {:sync} callback(t);
  yield;
}
