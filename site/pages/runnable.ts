/** The programs on a page that run in a browser: those that import nothing but `trainlets` and `trainlets/parts`. */

export interface RunnableExample {
  /** Unique in the site: the page and the number of the block, such as `how-to-encode-2`. */
  readonly name: string;
  readonly text: string;
  /** Whether it needs a page with a canvas, and not only a worker. */
  readonly needsPage: boolean;
  /** What it prints, where the page says so. */
  readonly prints: string | undefined;
}

const fence = /^```(?:ts|js)\n([\s\S]*?)^```$(?:\n\n```text\n([\s\S]*?)^```$)?/gm;

/** `page` is the path in the site. */
export function runnableIn(markdown: string, page: string): RunnableExample[] {
  return [...markdown.matchAll(fence)].flatMap(({ 1: text, 2: prints }, i) =>
    runsInBrowser(text)
      ? [{ name: nameOf(page, i), text, needsPage: /\bdocument\b/.test(text), prints }]
      : [],
  );
}

/** The Markdown with a button below each program that runs. */
export function withButtons(markdown: string, page: string): string {
  let count = -1;
  return markdown.replace(fence, (all, text: string) => {
    count++;
    if (!runsInBrowser(text)) return all;
    const code = all.slice(0, all.indexOf("\n```", 4) + 4);
    const where = /\bdocument\b/.test(text) ? "page" : "worker";
    return `${code}\n\n<run-example name="${nameOf(page, count)}" where="${where}"></run-example>${all.slice(code.length)}`;
  });
}

function nameOf(page: string, block: number): string {
  return `${page.replace(/\.md$/, "").replaceAll("/", "-")}-${block + 1}`;
}

function runsInBrowser(text: string): boolean {
  const modules = [...text.matchAll(/\b(?:from|import)\s*\(?\s*"([^"]+)"/g)].map((match) => match[1]);
  return modules.length > 0 && modules.every((name) => name === "trainlets" || name === "trainlets/parts");
}
