/** `llms.txt` (llmstxt.org): what the site has, for programs that read. */

export interface LlmsChapter {
  readonly title: string;
  readonly pages: readonly { readonly title: string; readonly address: string; readonly about: string }[];
}

export function llmsText(title: string, summary: string, chapters: readonly LlmsChapter[]): string {
  const parts = chapters.map(({ title, pages }) => {
    const lines = pages.map(
      ({ title, address, about }) => `- [${title}](${address})${about === "" ? "" : `: ${about}`}`,
    );
    return `## ${title}\n\n${lines.join("\n")}\n`;
  });
  return [`# ${title}\n`, `> ${summary}\n`, ...parts].join("\n");
}

/** All pages as one text, each under its address. */
export function llmsFullText(pages: readonly { readonly address: string; readonly text: string }[]): string {
  return pages.map(({ address, text }) => `<!-- ${address} -->\n\n${text.trim()}\n`).join("\n");
}
