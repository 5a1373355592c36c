; What: updates of one counter that do not commute; bags and counters as functions.
; truth: sat
; expect Plain: sat 5431
; expect Automatic: the solver reached its resource limit
(declare-datatypes ((Msg 0)) (((Prepare (psrc Int) (pdst Int) (pround Int)) (Vote (vfrom Int) (vto Int) (vround Int) (vval Int)))))

(declare-fun b0 (Msg) Int) (declare-fun c0 (Int) Int)
(declare-const i Int) (declare-const j Int) (declare-const m1 Msg) (declare-const m2 Msg)
(assert (forall ((m Msg)) (>= (b0 m) 0)))
(assert (= i j))
(assert (and ((_ is Vote) m1) (= (vto m1) i) (> (b0 m1) 0)))
(define-fun b1 ((m Msg)) Int (ite (= m m1) (- (b0 m) 1) (b0 m)))
(define-fun c1 ((x Int)) Int (ite (= x i) (vval m1) (c0 x)))
(assert (and ((_ is Vote) m2) (= (vto m2) j) (> (b1 m2) 0)))
(define-fun b2 ((m Msg)) Int (ite (= m m2) (- (b1 m) 1) (b1 m)))
(define-fun c2 ((x Int)) Int (ite (= x j) (- (vval m2)) (c1 x)))
(define-fun d1 ((y Msg) (m Msg)) Int (ite (= m y) (- (b0 m) 1) (b0 m)))
(define-fun e1 ((y Msg) (x Int)) Int (ite (= x j) (- (vval y)) (c0 x)))
(assert (forall ((y Msg) (z Msg)) (not (and
   ((_ is Vote) y) (= (vto y) j) (> (b0 y) 0) ((_ is Vote) z) (= (vto z) i) (> (d1 y z) 0)
   (forall ((m Msg)) (= (b2 m) (ite (= m z) (- (d1 y m) 1) (d1 y m))))
   (forall ((x Int)) (= (c2 x) (ite (= x i) (vval z) (e1 y x))))))))
(check-sat)
