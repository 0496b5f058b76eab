//! The module of the page's workers: what `web/src/worker.ts` calls. `nimrule-host` has the
//! questions and the answers. On other targets than `wasm32` it is empty.

#[cfg(target_arch = "wasm32")]
mod browser {
    use nimrule_host::Host;
    use std::cell::RefCell;
    use wasm_bindgen::prelude::wasm_bindgen;

    #[wasm_bindgen]
    extern "C" {
        /// What the worker does with the progress of a computation.
        #[wasm_bindgen(js_namespace = globalThis, js_name = nimruleProgress)]
        fn progress(json: &str);
    }

    thread_local! {
        static HOST: RefCell<Host> = RefCell::new(Host::reporting(progress));
    }

    /// Shows what a panic says in the console.
    #[wasm_bindgen(start)]
    pub fn start() {
        console_error_panic_hook::set_once();
    }

    /// Answers a question.
    #[wasm_bindgen]
    pub fn ask(question: &str) -> String {
        HOST.with_borrow_mut(|host| host.ask(question))
    }
}
