// Two processes propose values to each other until one of them accepts; then both hold the same value.
type {:linear "turn"} Turn;
function {:builtin "MapConst"} MapConstBool(bool): [Turn]bool;
function {:inline} {:linear "turn"} TurnCollector(x: Turn): [Turn]bool { MapConstBool(false)[x := true] }
const the_turn: Turn;

var {:layer 0,2} mine: int;
var {:layer 0,2} yours: int;

procedure {:both} {:layer 1} SETMINE({:linear "turn"} t: Turn, v: int)
modifies mine;
{ assert t == the_turn; mine := v; }
procedure {:yields} {:layer 0} {:refines "SETMINE"} set_mine({:linear "turn"} t: Turn, v: int);

procedure {:both} {:layer 1} SETYOURS({:linear "turn"} t: Turn, v: int)
modifies yours;
{ assert t == the_turn; yours := v; }
procedure {:yields} {:layer 0} {:refines "SETYOURS"} set_yours({:linear "turn"} t: Turn, v: int);

procedure {:both} {:layer 1} CHECK({:linear_in "turn"} t: Turn, v: int)
{ assert t == the_turn; assert mine == v && yours == v; }
procedure {:yields} {:layer 0} {:refines "CHECK"} check({:linear_in "turn"} t: Turn, v: int);

procedure {:yields} {:layer 1} {:left} {:terminates} ask_you({:linear_in "turn"} t: Turn, v: int)
modifies mine, yours;
requires {:layer 1} t == the_turn && mine == v;
ensures {:layer 1} mine == yours;
{
  var w: int;
  if (*) {
    call set_yours(t, v);
    call check(t, v);
  } else {
    havoc w;
    call set_yours(t, w);
    call ask_me(t, w);
  }
}

procedure {:yields} {:layer 1} {:left} {:terminates} ask_me({:linear_in "turn"} t: Turn, v: int)
modifies mine, yours;
requires {:layer 1} t == the_turn && yours == v;
ensures {:layer 1} mine == yours;
{
  var w: int;
  if (*) {
    call set_mine(t, v);
    call check(t, v);
  } else {
    havoc w;
    call set_mine(t, w);
    call ask_you(t, w);
  }
}

procedure {:atomic} {:layer 2} AGREE({:linear_in "turn"} t: Turn)
modifies mine, yours;
{ assert t == the_turn; havoc mine; yours := mine; }
procedure {:yields} {:layer 1} {:refines "AGREE"} main({:linear_in "turn"} t: Turn)
requires {:layer 1} t == the_turn;
{
  var v: int;
  yield;
  havoc v;
  call set_mine(t, v);
  async call {:sync} ask_you(t, v);
  yield;
}
