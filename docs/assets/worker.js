// Search when the site is opened from a folder. Browsers start no workers for file://, so the
// script of a worker runs in a hidden frame instead. Messages are copied and arrive later, as
// between a page and a real worker.
if (location.protocol === "file:") {
  const deliver = (from, to, data) => {
    const copy = from.structuredClone(data);
    setTimeout(() => to.onmessage?.(new MessageEvent("message", { data: copy })));
  };

  window.Worker = class {
    constructor(url) {
      this.onmessage = this.onerror = this.onmessageerror = null;
      this.waiting = [];
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      this.frame.srcdoc = "<!doctype html>";
      this.frame.onload = () => this.start(new URL(url, document.baseURI).href);
      document.documentElement.append(this.frame);
    }

    start(url) {
      const inside = this.frame.contentWindow;
      inside.postMessage = (data) => deliver(window, this, data);
      const script = inside.document.createElement("script");
      script.src = url;
      script.onerror = (event) => this.onerror?.(event);
      script.onload = () => {
        this.inside = inside;
        this.waiting.splice(0).forEach((data) => this.postMessage(data));
      };
      inside.document.head.append(script);
    }

    postMessage(data) {
      if (this.inside) deliver(this.inside, this.inside, data);
      else this.waiting.push(structuredClone(data));
    }

    terminate() {
      this.frame.remove();
    }
  };
}
