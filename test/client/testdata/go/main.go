// The buyer buys with the client that oapi-codegen makes of web/openapi.yaml, and pays. The argument is the address of
// a program on embedded stores.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"generated/client"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := buy(ctx, os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "generated Go client:", err)
		os.Exit(1)
	}
}

func buy(ctx context.Context, addr string) error {
	token, err := token(addr)
	if err != nil {
		return err
	}
	shop, err := client.NewClientWithResponses(addr, client.WithRequestEditorFn(
		func(_ context.Context, req *http.Request) error {
			req.Header.Set("Authorization", "Bearer "+token)
			return nil
		}))
	if err != nil {
		return err
	}
	sales, err := shop.ListActivitiesWithResponse(ctx, &client.ListActivitiesParams{})
	if err != nil || sales.JSON200 == nil {
		return fmt.Errorf("list sales: %w, %s", err, sales.Body)
	}
	sale := ""
	for _, a := range sales.JSON200.Items {
		if strings.Contains(a.Title, "running now") {
			sale = a.ActivityId
		}
	}
	path, err := shop.TakePathWithResponse(ctx, client.PathRequest{ActivityId: sale, SkuId: "course"})
	if err != nil || path.JSON200 == nil {
		return fmt.Errorf("take a path: %w, %s", err, path.Body)
	}
	task, err := shop.SubmitWithResponse(ctx, path.JSON200.Path, &client.SubmitParams{IdempotencyKey: "generated"},
		client.SubmitRequest{Quantity: 1})
	if err != nil || task.JSON202 == nil {
		return fmt.Errorf("submit: %w, %s", err, task.Body)
	}
	for {
		state, err := shop.GetTaskWithResponse(ctx, task.JSON202.TaskId)
		if err != nil || state.JSON200 == nil {
			return fmt.Errorf("follow the task: %w, %s", err, state.Body)
		}
		if state.JSON200.Status == "SUCCESS" {
			break
		}
		<-time.After(time.Duration(state.JSON200.RefreshAfterMs) * time.Millisecond)
	}
	return pay(ctx, shop, task.JSON202.OrderNumber)
}

func pay(ctx context.Context, shop *client.ClientWithResponses, order string) error {
	begun, err := shop.BeginPaymentWithResponse(ctx, &client.BeginPaymentParams{IdempotencyKey: "generated"},
		client.PaymentRequest{Channel: "sandbox", OrderNumbers: []string{order}})
	if err != nil || begun.JSON201 == nil {
		return fmt.Errorf("begin a payment: %w, %s", err, begun.Body)
	}
	page, query, _ := strings.Cut(*begun.JSON201.Next.RedirectUrl, "?")
	res, err := http.Post(page+"/pay?"+query, "application/json", strings.NewReader("{}"))
	if err != nil {
		return err
	}
	_ = res.Body.Close()
	for {
		stored, err := shop.GetOrderWithResponse(ctx, order)
		if err != nil || stored.JSON200 == nil {
			return fmt.Errorf("read the order: %w, %s", err, stored.Body)
		}
		if stored.JSON200.Status == "paid" {
			fmt.Println("the generated Go client bought and paid order", order)
			return nil
		}
		<-time.After(100 * time.Millisecond)
	}
}

func token(addr string) (string, error) {
	res, err := http.Post(addr+"/dev/token", "application/json", bytes.NewBufferString(`{"user_id":"go","role":"user"}`))
	if err != nil {
		return "", err
	}
	defer func() { _ = res.Body.Close() }()
	var body struct {
		Token string `json:"token"`
	}
	if err := json.NewDecoder(res.Body).Decode(&body); err != nil {
		return "", err
	}
	if body.Token == "" {
		return "", errors.New("no token")
	}
	return body.Token, nil
}
