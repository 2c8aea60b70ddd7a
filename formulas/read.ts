/** A formula in a text: `raw` with its delimiters, `tex` without; `display` if it has its own line. */
export interface Formula { raw: string, tex: string, display: boolean }

/** The most characters of a formula; a longer one is shown as it was written. */
export const longestChars = 4_000

/** Returns the formula at the start of a text, `$…$`, `$$…$$`, `\(…\)` or `\[…\]`; null if there is none. Amounts of money do not count. */
export function formulaAt (text: string): Formula | null {
  const found = /^(?:\$\$([^$]+)\$\$|\\\(([\s\S]+?)\\\)|\\\[([\s\S]+?)\\\])/.exec(text)
  if (found !== null) {
    const tex = (found[1] ?? found[2] ?? found[3] ?? '').trim()
    // In Markdown, `\[note\]` is text in brackets that is not a link.
    if (tex === '' || /\n[ \t]*\n/.test(tex) || (found[3] !== undefined && !/[\\^_=+<>]/.test(tex))) return null
    return { raw: found[0], tex, display: found[2] === undefined }
  }
  // The delimiters touch the formula, and no digit follows: `$5 and $10` is money.
  const [raw, tex] = /^\$(?![\s$])((?:[^$\\\n]|\\[^\n]|\n(?![ \t]*\n))*?[^\s\\$]|\\[^\s])\$(?![\d$A-Za-z])/.exec(text) ?? []
  return raw === undefined || tex === undefined || isMoney(tex) ? null : { raw, tex, display: false }
}

/** Recognises money such as `5 to ` and `100k, or US`: a number, then words, and nothing that occurs only in formulas. */
const isMoney = (tex: string): boolean => /^\d[\d.,]*\s*[a-z]*[\s/,.-]/i.test(tex) && !/[\\^_={}]/.test(tex) && /[a-z]{2}/i.test(tex)
