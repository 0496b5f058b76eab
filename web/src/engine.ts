/// Workers that answer questions, one at a time, and can be cancelled at once.
import wasm from "../pkg/nimrule_wasm_bg.wasm?url";
import type { Answers, Ask, Fault, Progress } from "./messages";
import type { FromWorker, ToWorker } from "./worker";
import Computer from "./worker?worker";

/// The question of a kind, without its name.
export type Question<K extends Ask["ask"]> = Omit<Extract<Ask, { ask: K }>, "ask">;
/// What a question is about: a rule at values of its parameters, under a convention.
export type About = Question<"open">;
/// The questions that are about no open game, or open one.
type AboutNone = "shipped" | "gallery" | "thumbnail" | "words" | "check" | "hover" | "complete" | "rename" | "format" | "open";
export type AboutGame = Exclude<keyof Answers & Ask["ask"], AboutNone>;

/// Why there is no answer.
export class NoAnswer extends Error {
  constructor(readonly fault: Fault) {
    super(fault.words);
  }
}

/// The question was cancelled.
export class Cancelled extends Error {
  constructor() {
    super("cancelled");
  }
}

interface Waiting {
  ask: Ask["ask"];
  question: string;
  /// The question that opens the game that this one is about.
  opener: string | null;
  resolve(answer: unknown): void;
  reject(why: Error): void;
}

/// The module is compiled once, for all workers.
const compiled = WebAssembly.compileStreaming(fetch(wasm));

export class Engine {
  private worker: Worker | null = null;
  private ready = false;
  private queue: Waiting[] = [];
  /// The number of the question that was sent, until its answer comes.
  private sent: number | null = null;
  private numbered = 0;
  /// The question that opened the game that the worker has open.
  private opened: string | null = null;

  /// `tell` is told of the progress of a computation; `null` when it has ended.
  constructor(private readonly tell: (progress: Progress | null) => void = () => {}) {}

  private start(): void {
    const worker = new Computer();
    this.worker = worker;
    this.ready = false;
    this.sent = this.opened = null;
    worker.addEventListener("message", (event: MessageEvent<FromWorker>) => {
      // What a worker sent before it ended may arrive after it.
      if (worker !== this.worker) return;
      const message = event.data;
      if ("progress" in message) {
        this.tell(JSON.parse(message.progress) as Progress);
      } else if ("failed" in message) {
        this.failed(message.failed);
      } else if ("ready" in message) {
        this.ready = true;
        this.next();
      } else if (message.id === this.sent) {
        this.sent = null;
        this.tell(null);
        this.settle(message.answer);
        this.next();
      }
    });
    worker.addEventListener("error", (event) => worker === this.worker && this.failed(event.message));
    compiled.then(
      (module) => worker.postMessage({ module } satisfies ToWorker),
      (error: unknown) => this.failed(String(error)),
    );
  }

  /// Takes the answer to what was due: the first question that waits, or the opening of its game.
  private settle(answer: string): void {
    const first = this.queue[0];
    if (!first) return;
    const due = this.due(first);
    const { value, fault } = JSON.parse(answer) as { value?: unknown; fault?: Fault };
    if (!fault && due === first.opener) this.opened = due;
    if (!fault && due !== first.question) return;
    this.queue.shift();
    if (fault) first.reject(new NoAnswer(fault));
    else first.resolve(value);
  }

  /// What the worker is to be sent for a question: it has one game open at a time.
  private due({ question, opener }: Waiting): string {
    return opener === null || opener === this.opened ? question : opener;
  }

  /// The worker ends at a fault of the program, such as too little memory: the question that
  /// it was asked fails, and the others are asked again; all fail if it could not begin.
  private failed(words: string): void {
    const failed = this.ready ? this.queue.splice(0, 1) : this.queue.splice(0);
    if (this.ready) this.restart();
    else {
      this.worker?.terminate();
      this.worker = null;
    }
    for (const one of failed) one.reject(new NoAnswer({ kind: "question", words: `the computation failed: ${words}`, findings: [] }));
  }

  private next(): void {
    const first = this.queue[0];
    if (!first || this.sent !== null || !this.ready) return;
    this.sent = ++this.numbered;
    this.worker?.postMessage({ id: this.sent, question: this.due(first) } satisfies ToWorker);
  }

  private restart(): void {
    this.worker?.terminate();
    this.tell(null);
    this.start();
  }

  /// Asks a question; one about a game is answered about that game, whichever is open.
  ask<K extends AboutNone>(ask: K, question: Question<K>): Promise<Answers[K]>;
  ask<K extends AboutGame>(ask: K, question: Question<K>, about: About): Promise<Answers[K]>;
  ask(ask: Ask["ask"], question: object, about?: About): Promise<unknown> {
    const text = JSON.stringify({ ask, ...question });
    const opener = about ? JSON.stringify({ ask: "open", ...about }) : ask === "open" ? text : null;
    return new Promise((resolve, reject) => {
      this.queue.push({ ask, question: text, opener, resolve, reject });
      if (this.worker) this.next();
      else this.start();
    });
  }

  /// Cancels the questions that wait, those of some kinds or all, and ends the computation at once
  /// if it is about one of them. Whether there were any.
  cancel(...kinds: Ask["ask"][]): boolean {
    const cancelled = this.queue.filter((one) => kinds.length === 0 || kinds.includes(one.ask));
    const runs = this.sent !== null && cancelled.includes(this.queue[0]!);
    this.queue = this.queue.filter((one) => !cancelled.includes(one));
    if (runs) this.restart();
    for (const one of cancelled) one.reject(new Cancelled());
    return cancelled.length > 0;
  }
}
