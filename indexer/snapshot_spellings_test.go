package indexer

import (
	"slices"
	"testing"
)

// TestInAnyCase checks which names of a sorted table differ only in case and separators.
func TestInAnyCase(t *testing.T) {
	names := []string{"", "_", "PAYMENT_CLIENT", "Pay", "PayMent", "PaymentClient", "PaymentClients", "__payment-client_", "payment", "payment2client", "paymentClient", "paymentclient", "übersicht"}
	slices.Sort(names)
	tab := &table{off: []uint32{0}}
	for _, n := range names {
		tab.blob = append(tab.blob, n...)
		tab.off = append(tab.off, uint32(len(tab.blob)))
	}
	for text, want := range map[string][]string{
		"paymentclient":  {"PAYMENT_CLIENT", "PaymentClient", "__payment-client_", "paymentClient", "paymentclient"},
		"payment":        {"PayMent", "payment"},
		"payment2client": {"payment2client"},
		"übersicht":      {"übersicht"},
		"paymentc":       nil,
		"x":              nil,
	} {
		var got []string
		tab.inAnyCase(text, func(n int) { got = append(got, string(tab.at(n))) })
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
