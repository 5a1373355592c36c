// Workers come and go; each draws a name of its own, takes a spin lock and frees it: everything becomes nothing.
type {:linear "tid"} Tid = int;
function {:builtin "MapConst"} MapConstBool(bool): [int]bool;
function {:inline} {:linear "tid"} OneCollector(t: int): [int]bool { MapConstBool(false)[t := true] }
function {:inline} {:linear "tid"} SetCollector(t: [int]bool): [int]bool { t }

var {:layer 0,1} flag: bool;
var {:layer 1,2} lock: int;
var {:layer 0,2} {:linear "tid"} slots: [int]bool;

function {:inline} InvLock(flag: bool, lock: int): bool { flag <==> lock != 0 }

procedure {:atomic} {:layer 1} CAS() returns (won: bool)
modifies flag;
{ won := !flag; flag := true; }
procedure {:yields} {:layer 0} {:refines "CAS"} cas() returns (won: bool);

procedure {:atomic} {:layer 1} RESET()
modifies flag;
{ assert flag; flag := false; }
procedure {:yields} {:layer 0} {:refines "RESET"} reset();

procedure {:layer 1} {:inline 1} set_lock(t: int)
modifies lock;
{ lock := t; }

procedure {:right} {:layer 1,2} DRAW() returns ({:linear "tid"} t: int)
modifies slots;
{ assume t != 0 && slots[t]; slots[t] := false; }
procedure {:yields} {:layer 0} {:refines "DRAW"} draw() returns ({:linear "tid"} t: int);

procedure {:right} {:layer 2} ACQUIRE({:linear "tid"} t: int)
modifies lock;
{ assert t != 0; assume lock == 0; lock := t; }
procedure {:yields} {:layer 1} {:refines "ACQUIRE"} enter({:linear "tid"} t: int)
requires {:layer 1} InvLock(flag, lock);
ensures {:layer 1} InvLock(flag, lock);
{
  var won: bool;
  yield; assert {:layer 1} InvLock(flag, lock);
  while (true)
  invariant {:layer 1} InvLock(flag, lock);
  {
    call won := cas();
    if (won) {
      call set_lock(t);
      yield; assert {:layer 1} InvLock(flag, lock);
      return;
    }
    yield; assert {:layer 1} InvLock(flag, lock);
  }
  yield; assert {:layer 1} InvLock(flag, lock);
}

procedure {:left} {:layer 2} RELEASE({:linear "tid"} t: int)
modifies lock;
{ assert t != 0 && lock == t; lock := 0; }
procedure {:yields} {:layer 1} {:refines "RELEASE"} leave({:linear "tid"} t: int)
requires {:layer 1} InvLock(flag, lock);
ensures {:layer 1} InvLock(flag, lock);
{
  yield; assert {:layer 1} InvLock(flag, lock);
  call reset();
  call set_lock(0);
  yield; assert {:layer 1} InvLock(flag, lock);
}

procedure {:yields} {:layer 2} worker()
requires {:layer 1} InvLock(flag, lock);
ensures {:layer 1} InvLock(flag, lock);
{
  var {:linear "tid"} t: int;
  yield; assert {:layer 1} InvLock(flag, lock);
  call t := draw();
  call enter(t);
  call leave(t);
  yield; assert {:layer 1} InvLock(flag, lock);
}

procedure {:yields} {:layer 2} main()
requires {:layer 1} InvLock(flag, lock);
ensures {:layer 1} InvLock(flag, lock);
{
  yield; assert {:layer 1} InvLock(flag, lock);
  if (*) {
    par worker() | main();
  }
  yield; assert {:layer 1} InvLock(flag, lock);
}
