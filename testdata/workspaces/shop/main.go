package shop

func main() { _ = retryPayment(RetryPolicy{3}) }
