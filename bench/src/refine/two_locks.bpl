// Two variables behind two locks, changed together.
type {:linear "tid"} Tid;
const nil: Tid;
function {:builtin "MapConst"} MapConstBool(bool): [Tid]bool;
function {:inline} {:linear "tid"} TidCollector(x: Tid): [Tid]bool { MapConstBool(false)[x := true] }

var {:layer 0,1} owner_a: Tid;
var {:layer 0,2} a: int;
var {:layer 0,1} owner_b: Tid;
var {:layer 0,2} b: int;

procedure {:right} {:layer 1} LOCK_a({:linear "tid"} t: Tid)
modifies owner_a;
{ assert t != nil; assume owner_a == nil; owner_a := t; }
procedure {:yields} {:layer 0} {:refines "LOCK_a"} lock_a({:linear "tid"} t: Tid);

procedure {:left} {:layer 1} UNLOCK_a({:linear "tid"} t: Tid)
modifies owner_a;
{ assert t != nil && owner_a == t; owner_a := nil; }
procedure {:yields} {:layer 0} {:refines "UNLOCK_a"} unlock_a({:linear "tid"} t: Tid);

procedure {:both} {:layer 1} READ_a({:linear "tid"} t: Tid) returns (value: int)
{ assert t != nil && owner_a == t; value := a; }
procedure {:yields} {:layer 0} {:refines "READ_a"} read_a({:linear "tid"} t: Tid) returns (value: int);

procedure {:both} {:layer 1} WRITE_a({:linear "tid"} t: Tid, value: int)
modifies a;
{ assert t != nil && owner_a == t; a := value; }
procedure {:yields} {:layer 0} {:refines "WRITE_a"} write_a({:linear "tid"} t: Tid, value: int);

procedure {:right} {:layer 1} LOCK_b({:linear "tid"} t: Tid)
modifies owner_b;
{ assert t != nil; assume owner_b == nil; owner_b := t; }
procedure {:yields} {:layer 0} {:refines "LOCK_b"} lock_b({:linear "tid"} t: Tid);

procedure {:left} {:layer 1} UNLOCK_b({:linear "tid"} t: Tid)
modifies owner_b;
{ assert t != nil && owner_b == t; owner_b := nil; }
procedure {:yields} {:layer 0} {:refines "UNLOCK_b"} unlock_b({:linear "tid"} t: Tid);

procedure {:both} {:layer 1} READ_b({:linear "tid"} t: Tid) returns (value: int)
{ assert t != nil && owner_b == t; value := b; }
procedure {:yields} {:layer 0} {:refines "READ_b"} read_b({:linear "tid"} t: Tid) returns (value: int);

procedure {:both} {:layer 1} WRITE_b({:linear "tid"} t: Tid, value: int)
modifies b;
{ assert t != nil && owner_b == t; b := value; }
procedure {:yields} {:layer 0} {:refines "WRITE_b"} write_b({:linear "tid"} t: Tid, value: int);

procedure {:atomic} {:layer 2} TRANSFER({:linear "tid"} t: Tid, amount: int)
modifies a, b;
{ a := a - amount; b := b + amount; }

procedure {:yields} {:layer 1} {:refines "TRANSFER"} transfer({:linear "tid"} t: Tid, amount: int)
requires {:layer 1} t != nil;
{
  var old_a: int;
  var old_b: int;
  yield;
  call lock_a(t);
  call lock_b(t);
  call old_a := read_a(t);
  call write_a(t, old_a - amount);
  call old_b := read_b(t);
  call write_b(t, old_b + amount);
  call unlock_b(t);
  call unlock_a(t);
  yield;
}
