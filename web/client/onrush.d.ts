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
  | { step: 'wait'; code: string; refreshAfterMs?: number; startsAt?: string; nextWaveAt?: string }
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

/** Units of one of several skus of an order. */
export interface Line {
  sku: string;
  /** Default 1. */
  quantity?: number;
}

export interface Purchase {
  activity: string;
  /** Of an order of one sku. */
  sku?: string;
  /** Default 1. */
  quantity?: number;
  /** Of an order of several skus, all or nothing, in a sale that takes such orders: instead of sku and quantity. */
  lines?: Line[];
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
  /** The buyer's code, of a sale that is for buyers with one. */
  code?: string;
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

/** An order, with the fields that swap may change, and some others. */
export interface Order {
  order_number: string;
  activity_id?: string;
  status: string;
  items: { sku_id: string; title: string; quantity: number; price: number; point_id: string }[];
}

/** An entry in the waiting list of a sku. */
export interface WaitlistEntry {
  entry_id: string;
  activity_id: string;
  sku_id: string;
  point_id: string;
  quantity: number;
  delivery?: 'express' | 'pickup' | 'none';
  address_id?: string;
  pickup_point_id?: string;
  state: 'waiting' | 'offered';
  /** Among those who wait for the same units, from 1. */
  place?: number;
  /** RFC 3339 texts. */
  joined_at: string;
  offered_until?: string;
}

/** What a buyer is told of: the start of a sale, or units of goods that are sold out. */
export interface Reminder {
  reminder_id: string;
  activity_id: string;
  sku_id?: string;
  kind: 'start' | 'units';
  state: 'waiting' | 'told';
  /** An RFC 3339 text. */
  created_at: string;
}

/** An entry in the draw of a sku. */
export interface DrawEntry {
  entry_id: string;
  activity_id: string;
  sku_id: string;
  point_id: string;
  quantity: number;
  delivery?: 'express' | 'pickup' | 'none';
  address_id?: string;
  pickup_point_id?: string;
  state: 'entered' | 'waiting' | 'offered' | 'over' | 'lost';
  /** The place in the order, from 1, once it is drawn. */
  rank?: number;
  /** RFC 3339 texts. */
  entered_at: string;
  offered_until?: string;
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
    wanted: { activity: string; sku?: string; lines?: Line[]; code?: string },
    options?: { signal?: AbortSignal; onStep?: (step: Step) => void; patienceMs?: number },
  ): Promise<string>;
  /** Waits for units of a sku that is sold out. */
  wait(
    wanted: { sku: string } & Pick<
      Purchase,
      'activity' | 'quantity' | 'delivery' | 'addressId' | 'pickupPointId' | 'signal' | 'onStep'
    >,
  ): Promise<WaitlistEntry>;
  /** Returns what the buyer waits for, and what is offered. */
  waits(options?: { activity?: string; signal?: AbortSignal }): Promise<WaitlistEntry[]>;
  /** Ends an entry. */
  leave(options: { entry: string; signal?: AbortSignal }): Promise<void>;
  /** Lets the shop tell the buyer of a start or of units that are back. */
  remind(wanted: {
    activity: string;
    sku?: string;
    kind: 'start' | 'units';
    notifyToken?: string;
    signal?: AbortSignal;
  }): Promise<Reminder>;
  /** Returns the buyer's reminders. */
  reminders(options?: { activity?: string; signal?: AbortSignal }): Promise<Reminder[]>;
  /** Deletes a reminder. */
  forgetReminder(options: { reminder: string; signal?: AbortSignal }): Promise<void>;
  /** Takes another sku of its sale, with the same price, for an order. */
  swap(options: { order: string; sku: string; signal?: AbortSignal }): Promise<Order>;
  /** Takes part in the draw of a sku. */
  enter(
    wanted: Pick<
      Purchase,
      'activity' | 'sku' | 'quantity' | 'delivery' | 'addressId' | 'pickupPointId' | 'signal' | 'onStep'
    >,
  ): Promise<DrawEntry>;
  /** Returns the buyer's entries in a draw. */
  entries(options: { activity: string; signal?: AbortSignal }): Promise<DrawEntry[]>;
  /** Ends an entry in a draw. */
  withdraw(options: { activity: string; entry: string; signal?: AbortSignal }): Promise<void>;
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
