; Chang and Roberts' election on a ring of any size: a step of node j, then the abstracted step of node i, whose gate
; says that all nodes between the greatest one and i have stopped. The same choices are the witnesses of the
; swapped order; equality of channels is asked at one place; no trigger anywhere.
(set-logic ALL)
(define-sort Channels () (Array Int (Array Int Int)))
(declare-const n Int)
(declare-const top Int)
(declare-const id (Array Int Int))
(define-fun in ((i Int)) Bool (and (<= 0 i) (< i n)))
(define-fun next ((i Int)) Int (ite (< (+ i 1) n) (+ i 1) 0))
(define-fun between ((a Int) (b Int) (c Int)) Bool
  (or (and (< a b) (< b c)) (and (< b c) (<= c a)) (and (<= c a) (< a b))))
(define-fun taken ((c Channels) (i Int) (m Int)) Channels
  (store c i (store (select c i) m (- (select (select c i) m) 1))))
(define-fun sent ((c Channels) (i Int) (m Int)) Channels
  (store c i (store (select c i) m (+ (select (select c i) m) 1))))
(define-fun channels-after ((c Channels) (i Int) (acts Bool) (m Int)) Channels
  (ite acts (ite (> m (select id i)) (sent (taken c i m) (next i) m) (taken c i m)) c))
(define-fun stopped-after ((s (Array Int Bool)) (i Int) (acts Bool) (m Int)) (Array Int Bool)
  (ite (or (not acts) (= m (select id i))) (store s i true) s))
(define-fun leader-after ((l (Array Int Bool)) (i Int) (acts Bool) (m Int)) (Array Int Bool)
  (ite (and acts (= m (select id i))) (store l i true) l))
(define-fun can ((c Channels) (i Int) (acts Bool) (m Int)) Bool (=> acts (> (select (select c i) m) 0)))
(define-fun ordered ((s (Array Int Bool)) (i Int)) Bool
  (forall ((b Int)) (=> (and (in b) (between top b i)) (select s b))))
(define-fun small ((c Channels)) Bool
  (forall ((b Int) (m Int)) (=> (and (in b) (> (select (select c b) m) 0)) (<= m (select id top)))))
(declare-const channel Channels)
(declare-const stopped (Array Int Bool))
(declare-const leader (Array Int Bool))
(declare-const i Int)
(declare-const j Int)
(declare-const acts-i Bool)
(declare-const acts-j Bool)
(declare-const m-i Int)
(declare-const m-j Int)
(declare-const x Int)
(declare-const y Int)
(define-fun ring () Bool
  (and (>= n 1) (in i) (in j) (not (= i j)) (in top)
    (forall ((a Int) (b Int)) (=> (and (in a) (in b) (= (select id a) (select id b))) (= a b)))
    (forall ((a Int)) (=> (in a) (<= (select id a) (select id top))))
    (forall ((a Int) (m Int)) (=> (in a) (>= (select (select channel a) m) 0)))))
(define-fun gates () Bool
  (and (not (select stopped j)) (not (select stopped i)) (ordered stopped i) (small channel)))
(define-fun after-j () Channels (channels-after channel j acts-j m-j))
(define-fun after-i () Channels (channels-after channel i acts-i m-i))
(define-fun both-ways () Bool (and ring gates (can channel j acts-j m-j) (can after-j i acts-i m-i)))
(define-fun one-way () Bool (and ring gates (can channel j acts-j m-j)))
; Commutativity.
(push 1) (assert both-ways) (assert (not (can channel i acts-i m-i))) (check-sat) (pop 1)
(push 1) (assert both-ways) (assert (not (can after-i j acts-j m-j))) (check-sat) (pop 1)
(push 1) (assert both-ways) (assert (in x))
(assert (not (= (select (select (channels-after after-j i acts-i m-i) x) y)
  (select (select (channels-after after-i j acts-j m-j) x) y)))) (check-sat) (pop 1)
(push 1) (assert both-ways) (assert (in x))
(assert (not (= (select (stopped-after (stopped-after stopped j acts-j m-j) i acts-i m-i) x)
  (select (stopped-after (stopped-after stopped i acts-i m-i) j acts-j m-j) x)))) (check-sat) (pop 1)
(push 1) (assert both-ways) (assert (in x))
(assert (not (= (select (leader-after (leader-after leader j acts-j m-j) i acts-i m-i) x)
  (select (leader-after (leader-after leader i acts-i m-i) j acts-j m-j) x)))) (check-sat) (pop 1)
; The gate survives the step of j.
(push 1) (assert one-way) (assert (select (stopped-after stopped j acts-j m-j) i)) (check-sat) (pop 1)
(push 1) (assert one-way) (assert (not (ordered (stopped-after stopped j acts-j m-j) i))) (check-sat) (pop 1)
(push 1) (assert one-way) (assert (not (small after-j))) (check-sat) (pop 1)
; What makes the step of j fail afterwards makes it fail before.
(push 1) (assert ring) (assert (not (select stopped i))) (assert (ordered stopped i)) (assert (small channel))
(assert (can channel i acts-i m-i)) (assert (not (select (stopped-after stopped i acts-i m-i) j)))
(assert (select stopped j)) (check-sat) (pop 1)
