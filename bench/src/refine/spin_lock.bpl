// A spin lock over compare-and-swap, a counter behind it: two steps of refinement.
type {:linear "tid"} Tid;
const nil: Tid;
function {:builtin "MapConst"} MapConstBool(bool): [Tid]bool;
function {:inline} {:linear "tid"} TidCollector(x: Tid): [Tid]bool { MapConstBool(false)[x := true] }

var {:layer 0,1} held: bool;
var {:layer 1,2} owner: Tid;
var {:layer 0,3} count: int;

procedure {:atomic} {:layer 1} AtomicTryLock() returns (won: bool)
modifies held;
{ won := !held; held := true; }
procedure {:yields} {:layer 0} {:refines "AtomicTryLock"} TryLock() returns (won: bool);

procedure {:atomic} {:layer 1} AtomicUnlock()
modifies held;
{ held := false; }
procedure {:yields} {:layer 0} {:refines "AtomicUnlock"} Unlock();

procedure {:atomic} {:layer 1} AtomicLoad() returns (value: int)
{ value := count; }
procedure {:yields} {:layer 0} {:refines "AtomicLoad"} Load() returns (value: int);

procedure {:atomic} {:layer 1} AtomicStore(value: int)
modifies count;
{ count := value; }
procedure {:yields} {:layer 0} {:refines "AtomicStore"} Store(value: int);

procedure {:layer 1} {:inline 1} set_owner(t: Tid)
modifies owner;
{ owner := t; }

function {:inline} Inv(held: bool, owner: Tid): bool { held <==> owner != nil }

procedure {:right} {:layer 2} ACQUIRE({:linear "tid"} t: Tid)
modifies owner;
{ assert t != nil; assume owner == nil; owner := t; }

procedure {:yields} {:layer 1} {:refines "ACQUIRE"} Acquire({:linear "tid"} t: Tid)
requires {:layer 1} Inv(held, owner);
ensures {:layer 1} Inv(held, owner);
{
  var won: bool;
  yield; assert {:layer 1} Inv(held, owner);
  while (true)
  invariant {:layer 1} Inv(held, owner);
  {
    call won := TryLock();
    if (won) {
      call set_owner(t);
      yield; assert {:layer 1} Inv(held, owner);
      return;
    }
    yield; assert {:layer 1} Inv(held, owner);
  }
  yield; assert {:layer 1} Inv(held, owner);
}

procedure {:left} {:layer 2} RELEASE({:linear "tid"} t: Tid)
modifies owner;
{ assert t != nil && owner == t; owner := nil; }

procedure {:yields} {:layer 1} {:refines "RELEASE"} Release({:linear "tid"} t: Tid)
requires {:layer 1} Inv(held, owner);
ensures {:layer 1} Inv(held, owner);
{
  yield; assert {:layer 1} Inv(held, owner);
  call Unlock();
  call set_owner(nil);
  yield; assert {:layer 1} Inv(held, owner);
}

procedure {:both} {:layer 2} READ({:linear "tid"} t: Tid) returns (value: int)
{ assert t != nil && owner == t; value := count; }

procedure {:yields} {:layer 1} {:refines "READ"} Read({:linear "tid"} t: Tid) returns (value: int)
requires {:layer 1} Inv(held, owner);
ensures {:layer 1} Inv(held, owner);
{
  yield; assert {:layer 1} Inv(held, owner);
  call value := Load();
  yield; assert {:layer 1} Inv(held, owner);
}

procedure {:both} {:layer 2} WRITE({:linear "tid"} t: Tid, value: int)
modifies count;
{ assert t != nil && owner == t; count := value; }

procedure {:yields} {:layer 1} {:refines "WRITE"} Write({:linear "tid"} t: Tid, value: int)
requires {:layer 1} Inv(held, owner);
ensures {:layer 1} Inv(held, owner);
{
  yield; assert {:layer 1} Inv(held, owner);
  call Store(value);
  yield; assert {:layer 1} Inv(held, owner);
}

procedure {:atomic} {:layer 3} INCREMENT({:linear "tid"} t: Tid)
modifies count;
{ assert t != nil; count := count + 1; }

procedure {:yields} {:layer 2} {:refines "INCREMENT"} Increment({:linear "tid"} t: Tid)
requires {:layer 1} Inv(held, owner);
ensures {:layer 1} Inv(held, owner);
requires {:layer 2} t != nil;
{
  var value: int;
  yield; assert {:layer 1} Inv(held, owner);
  call Acquire(t);
  call value := Read(t);
  call Write(t, value + 1);
  call Release(t);
  yield; assert {:layer 1} Inv(held, owner);
}
