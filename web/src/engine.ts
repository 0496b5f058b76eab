/// Workers that answer questions, one at a time, and can be cancelled at once.
import wasm from "../pkg/nimrule_wasm_bg.wasm?url";
import type { Answers, Ask, Fault, Progress } from "./messages";
import type { FromWorker, ToWorker } from "./worker";
import Computer from "./worker?worker";

/// The question of a kind, without its name.
type Question<K extends Ask["ask"]> = Omit<Extract<Ask, { ask: K }>, "ask">;

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
  question: string;
  resolve(answer: unknown): void;
  reject(why: Error): void;
}

/// The module is compiled once, for all workers.
const compiled = WebAssembly.compileStreaming(fetch(wasm));

export class Engine {
  private worker: Worker | null = null;
  private ready = false;
  private sent = false;
  private queue: Waiting[] = [];
  /// The question that opened the game, which is asked again after a cancel.
  private opened: string | null = null;

  /// `tell` is told of the progress of a computation; `null` when it has ended.
  constructor(private readonly tell: (progress: Progress | null) => void = () => {}) {}

  private start(): void {
    const worker = new Computer();
    this.worker = worker;
    this.ready = this.sent = false;
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
      } else {
        this.sent = false;
        const done = this.queue.shift();
        this.tell(null);
        this.settle(done, message.answer);
        this.next();
      }
    });
    worker.addEventListener("error", (event) => worker === this.worker && this.failed(event.message));
    compiled.then(
      (module) => worker.postMessage({ module } satisfies ToWorker),
      (error: unknown) => this.failed(String(error)),
    );
  }

  private settle(done: Waiting | undefined, answer: string): void {
    const { value, fault } = JSON.parse(answer) as { value?: unknown; fault?: Fault };
    if (fault) done?.reject(new NoAnswer(fault));
    else done?.resolve(value);
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
    if (!first || this.sent || !this.ready) return;
    this.sent = true;
    this.worker?.postMessage({ id: 0, question: first.question } satisfies ToWorker);
  }

  private restart(): void {
    this.worker?.terminate();
    this.tell(null);
    this.start();
    if (this.opened) {
      this.queue.unshift({ question: this.opened, resolve() {}, reject() {} });
    }
  }

  /// Whether a question is waiting for its answer.
  get busy(): boolean {
    return this.queue.length > 0;
  }

  async ask<K extends Ask["ask"] & keyof Answers>(ask: K, question: Question<K>): Promise<Answers[K]> {
    const text = JSON.stringify({ ask, ...question });
    const answer = await new Promise<unknown>((resolve, reject) => {
      this.queue.push({ question: text, resolve, reject });
      if (this.worker) this.next();
      else this.start();
    });
    if (ask === "open") this.opened = text;
    return answer as Answers[K];
  }

  /// Ends the computation at once; the questions that wait are cancelled.
  cancel(): void {
    if (!this.busy) return;
    const cancelled = this.queue;
    this.queue = [];
    this.restart();
    for (const one of cancelled) one.reject(new Cancelled());
  }
}
