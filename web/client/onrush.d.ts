// Types of onrush.js.

/** A problem (RFC 9457); docs/shop/errors.md explains each code. */
export interface Problem {
  code: string;
  /** The HTTP status; 0 if no answer came. */
  status: number;
  type?: string;
  title?: string;
  detail?: string;
  errors?: { field: string; detail: string }[];
  refresh_after_ms?: number;
  /** Where the outcome of a submit is unknown. */
  task_id?: string;
  /** Of an order that failed after it was accepted. */
  task?: Task;
}

/** A refusal. */
export class OnrushError extends Error {
  constructor(problem: Partial<Problem> & { code: string }, options?: { cause?: unknown });
  readonly problem: Problem;
  readonly code: string;
  readonly status: number;
}

/** Returns a new Idempotency-Key. */
export function newKey(): string;

/** What became of a submit. */
export interface Task {
  task_id: string;
  order_number: string;
  status: 'SUBMITTED' | 'SUCCESS' | 'FAILED';
  reason?: string;
  refresh_after_ms: number;
}

/** What buy does, or waits for. */
export type Step =
  | { step: 'path'; code?: string }
  /**
   * In the waiting room: how many are ahead, which is unknown until the start of the sale; whether more are ahead than
   * there are units; when the sale starts, and when the place is admitted at the rate of now, as RFC 3339 texts.
   */
  | { step: 'line'; ahead?: number; unlikely: boolean; startsAt?: string; admittedAt?: string }
  | { step: 'human_check' }
  | { step: 'wait'; code: string; refreshAfterMs?: number; startsAt?: string }
  | { step: 'destination' | 'confirm' }
  | { step: 'submit'; confirmation?: string }
  | { step: 'task' | 'stored'; orderNumber: string };

/** The answer of GET /api/v1/seckill/challenge. */
export interface Challenge {
  human_check: 'none' | 'pow' | 'captcha';
  algorithm?: 'SHA-256';
  challenge?: string;
  maxnumber?: number;
  salt?: string;
  signature?: string;
  site_key?: string;
}

/** A request, as a transport sends it. */
export interface TransportRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  /** JSON. */
  body?: string;
  signal?: AbortSignal;
}

/** What a transport received. */
export interface TransportAnswer {
  status: number;
  /** By name, in upper or lower case. */
  headers?: Record<string, string>;
  body: string;
}

export interface Options {
  /** The address of the server, such as https://orders.shop.example. Default: that of the page. */
  baseURL?: string;
  /** Of the routes. Default: /api/v1; /admin/api/v1 are those of operators. */
  prefix?: string;
  /** The buyer's token, or a function that returns it. */
  token?: string | (() => string | Promise<string>);
  fetch?: typeof fetch;
  /** Sends requests where there is no fetch. Rejects if no answer came. */
  transport?: (request: TransportRequest) => Promise<TransportAnswer>;
  /** Answers the human check; by default a proof of work is computed. */
  solve?: (challenge: Challenge, options: { signal?: AbortSignal }) => Promise<string | undefined>;
  /** Returns a number from 0 to 1. */
  random?: () => number;
}

export interface CallOptions {
  body?: unknown;
  /** The Idempotency-Key. */
  key?: string;
  /** That of what it changes, as an answer showed it. If it was changed since, the code is stale_version. */
  version?: number;
  /** There must be no such thing yet; else the code is stale_version. version takes precedence. */
  create?: boolean;
  signal?: AbortSignal;
}

export interface Purchase {
  activity: string;
  sku: string;
  /** Default 1. */
  quantity?: number;
  delivery?: 'express' | 'pickup' | 'none';
  addressId?: string;
  pickupPointId?: string;
  /** Of an earlier quote: the order costs what it says. */
  confirmation?: string;
  remark?: string;
  fields?: Record<string, string>;
  clientReference?: string;
  /** Which room, share or user led to the order. */
  roomId?: string;
  shareCode?: string;
  shareSource?: string;
  inviterId?: string;
  /** With which the platform may notify the buyer, such as the form id of a mini program. */
  notifyToken?: string;
  /** The Idempotency-Key: the same one never orders twice. Default: a new one. */
  key?: string;
  signal?: AbortSignal;
  onStep?: (step: Step) => void;
  /**
   * Called before the order is confirmed or placed, after the gates of the sale: returns where the goods go, for a buyer
   * who chooses that last. It takes the place of delivery, addressId and pickupPointId.
   */
  destination?: () => Promise<Pick<Purchase, 'delivery' | 'addressId' | 'pickupPointId'>>;
  /**
   * Called with the amounts before the order is placed; it is placed for these, and only if the result is true. It is
   * called again if they have changed meanwhile, and not at all while a confirmation holds.
   */
  confirm?: (quote: Confirmation) => boolean | Promise<boolean>;
  /** How long it waits at the gates of the sale. Default: ten minutes. */
  patienceMs?: number;
}

/** The answer of POST /api/v1/seckill/{path}/confirm. */
export interface Confirmation {
  /** In minor units of the currency. */
  goods_amount: number;
  freight_amount: number;
  total_amount: number;
  currency: string;
  point_id: string;
  delivery: 'express' | 'pickup' | 'none';
  confirmation: string;
}

export interface Payment {
  pay_number: string;
  /** In minor units of the currency. */
  amount: number;
  currency: string;
  status: 'pending' | 'paid' | 'refunding' | 'refunded' | 'closed';
  channel: string;
  next?: { redirect_url?: string; params?: Record<string, string> };
}

export class Onrush {
  constructor(options?: Options);
  /** Sends one request to /api/v1. Rejects with OnrushError. */
  call<T = unknown>(method: string, path: string, options?: CallOptions): Promise<T>;
  /** call, again after failures that pass. Requests that place or pay need a key. */
  retried<T = unknown>(method: string, path: string, options?: CallOptions): Promise<T>;
  /** Buys through all gates; resolves when the order is stored, or with undefined if it was not confirmed. */
  buy(purchase: Purchase & { confirm?: undefined }): Promise<Task>;
  buy(purchase: Purchase): Promise<Task | undefined>;
  /** Returns an order path, after the gates of the sale. */
  path(
    wanted: { activity: string; sku: string },
    options?: { signal?: AbortSignal; onStep?: (step: Step) => void; patienceMs?: number },
  ): Promise<string>;
  /** Begins a payment. */
  pay(payment: {
    orders: string[];
    channel: string;
    openid?: string;
    return_url?: string;
    key?: string;
    signal?: AbortSignal;
  }): Promise<Payment>;
}
