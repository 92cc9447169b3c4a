// The buyer buys with the client that oapi-codegen makes of web/openapi.yaml, in a sale that runs, and through all
// gates of one that begins within a minute, and pays. The argument is the address of a program on embedded stores.
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"generated/client"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
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
	for _, title := range []string{"Half-price", "waiting room"} {
		for _, a := range sales.JSON200.Items {
			if strings.Contains(a.Title, title) && a.State != client.ActivityStateEnded {
				if err := buyIn(ctx, shop, a.ActivityId); err != nil {
					return fmt.Errorf("%s: %w", a.Title, err)
				}
				break
			}
		}
	}
	return nil
}

// buyIn buys a unit in a sale and pays it.
func buyIn(ctx context.Context, shop *client.ClientWithResponses, sale string) error {
	path, err := takePath(ctx, shop, sale)
	if err != nil {
		return err
	}
	task, err := shop.SubmitWithResponse(ctx, path, &client.SubmitParams{IdempotencyKey: sale},
		client.SubmitRequest{}) // one unit
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

// takePath passes the gates of a sale: its start, its waiting room, its human check and its permits.
func takePath(ctx context.Context, shop *client.ClientWithResponses, sale string) (string, error) {
	sku := "course"
	want := client.PathRequest{ActivityId: sale, SkuId: &sku}
	for {
		path, err := shop.TakePathWithResponse(ctx, want)
		if err != nil {
			return "", fmt.Errorf("take a path: %w", err)
		}
		if path.JSON200 != nil {
			return path.JSON200.Path, nil
		}
		var problem client.Problem
		if err := json.Unmarshal(path.Body, &problem); err != nil {
			return "", fmt.Errorf("take a path: %s, %w", path.Status(), err)
		}
		switch problem.Code {
		case "line_required", "place_invalid":
			place, err := takePlace(ctx, shop, sale)
			if err != nil {
				return "", err
			}
			want.Place = &place
		case "human_check_required", "human_check_failed":
			answer, err := solve(ctx, shop, sale)
			if err != nil {
				return "", err
			}
			want.HumanCheck = &answer
		case "not_started", "no_permit", "sold_out_unpaid_pending":
			wait := time.Second
			if problem.RefreshAfterMs != nil {
				wait = time.Duration(*problem.RefreshAfterMs) * time.Millisecond
			}
			<-time.After(wait)
		default:
			return "", fmt.Errorf("take a path: %s", path.Body)
		}
	}
}

// takePlace waits in the line of a sale.
func takePlace(ctx context.Context, shop *client.ClientWithResponses, sale string) (string, error) {
	joined, err := shop.JoinLineWithResponse(ctx, client.LineRequest{ActivityId: sale})
	if err != nil || joined.JSON200 == nil {
		return "", fmt.Errorf("join the line: %w, %s", err, joined.Body)
	}
	for place := joined.JSON200; ; {
		if place.Status != "waiting" {
			return *place.Place, nil
		}
		<-time.After(time.Duration(place.RefreshAfterMs) * time.Millisecond)
		seen, err := shop.GetPlaceWithResponse(ctx, *joined.JSON200.Place)
		if err != nil || seen.JSON200 == nil {
			return "", fmt.Errorf("read the place: %w, %s", err, seen.Body)
		}
		place = seen.JSON200
	}
}

// solve computes a proof of work.
func solve(ctx context.Context, shop *client.ClientWithResponses, sale string) (string, error) {
	got, err := shop.GetChallengeWithResponse(ctx, &client.GetChallengeParams{ActivityId: sale})
	if err != nil || got.JSON200 == nil || got.JSON200.HumanCheck != "pow" {
		return "", fmt.Errorf("get a challenge: %w, %s", err, got.Body)
	}
	c := got.JSON200
	for n := range *c.Maxnumber + 1 {
		sum := sha256.Sum256([]byte(*c.Salt + strconv.FormatInt(n, 10)))
		if hex.EncodeToString(sum[:]) == *c.Challenge {
			answer, err := json.Marshal(map[string]any{
				"algorithm": c.Algorithm, "challenge": c.Challenge, "number": n, "salt": c.Salt, "signature": c.Signature,
			})
			return base64.StdEncoding.EncodeToString(answer), err
		}
	}
	return "", errors.New("the challenge has no answer")
}

func pay(ctx context.Context, shop *client.ClientWithResponses, order string) error {
	begun, err := shop.BeginPaymentWithResponse(ctx, &client.BeginPaymentParams{IdempotencyKey: order},
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
