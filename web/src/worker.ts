/// The worker that computes: it answers one question after another.
import init, { ask } from "../pkg/nimrule_wasm.js";

/// What a worker is sent: the compiled module first, then questions.
export type ToWorker = { module: WebAssembly.Module } | { id: number; question: string };
/// What it sends: that it is ready, answers, the progress of a computation, as JSON, and why it
/// cannot go on.
export type FromWorker = { ready: true } | { id: number; answer: string } | { progress: string } | { failed: string };

const send = (message: FromWorker) => postMessage(message);

Object.assign(globalThis, { nimruleProgress: (progress: string) => send({ progress }) });

addEventListener("message", async (event: MessageEvent<ToWorker>) => {
  const message = event.data;
  try {
    if ("module" in message) {
      await init({ module_or_path: message.module });
      send({ ready: true });
    } else {
      send({ id: message.id, answer: ask(message.question) });
    }
  } catch (error) {
    // A fault of the module, such as too little memory, leaves it in no state to answer.
    send({ failed: String(error) });
  }
});
