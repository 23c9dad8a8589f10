package shop

// RetryPolicy says how often a payment is tried again.
type RetryPolicy struct{ Attempts int }

// retryPayment tries a payment again until it goes through or the policy ends.
func retryPayment(p RetryPolicy) error {
	for i := 0; i < p.Attempts; i++ {
		if err := pay(); err == nil {
			return nil
		}
	}
	return errTooOften
}
