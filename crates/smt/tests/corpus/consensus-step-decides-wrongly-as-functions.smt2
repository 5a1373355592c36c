; What: the induction step when the decision is off by one; maps as functions.
; truth: sat
; expect Plain: sat 22703
; expect Automatic: sat 35626
(set-logic ALL)
(declare-const n Int) (declare-fun valbag (Int) Int)
(declare-fun P (Int) Int) (declare-fun ch (Int Int) Int) (declare-fun dec (Int) Int)
(define-fun isMax ((d Int)) Bool (and (> (valbag d) 0) (forall ((v Int)) (=> (> (valbag v) 0) (<= v d)))))
(declare-const k Int) (declare-const d Int)
(assert (> n 0)) (assert (<= 0 k)) (assert (< k n))
(assert (forall ((i Int)) (= (P i) (ite (and (< k i) (<= i n)) 1 0))))
(assert (forall ((i Int) (v Int)) (=> (and (< k i) (<= i n)) (= (ch i v) (valbag v)))))
(assert (forall ((i Int)) (=> (and (<= 1 i) (<= i k)) (isMax (dec i)))))
(assert (> (P (+ k 1)) 0))
(assert (and (> (ch (+ k 1) d) 0) (forall ((v Int)) (=> (> (ch (+ k 1) v) 0) (<= v d)))))
(define-fun P2 ((i Int)) Int (ite (= i (+ k 1)) (- (P i) 1) (P i)))
(define-fun ch2 ((i Int) (v Int)) Int (ite (= i (+ k 1)) 0 (ch i v)))
(define-fun dec2 ((i Int)) Int (ite (= i (+ k 1)) (- d 1) (dec i)))
(define-fun kk () Int (+ k 1))
(assert (not (and (<= 0 kk) (<= kk n)
  (forall ((i Int)) (= (P2 i) (ite (and (< kk i) (<= i n)) 1 0)))
  (forall ((i Int) (v Int)) (=> (and (< kk i) (<= i n)) (= (ch2 i v) (valbag v))))
  (forall ((i Int)) (=> (and (<= 1 i) (<= i kk)) (isMax (dec2 i)))))))
(check-sat)
