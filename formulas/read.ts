/** A formula as it stands in a text: `raw` with its signs, `tex` without; `display` when it has a line of its own. */
export interface Formula { raw: string, tex: string, display: boolean }

/** A reader looks this far for the end of a formula; a longer one is shown as it was written. */
export const longestChars = 4_000

/** A formula that the text begins with: `$…$`, `$$…$$`, `\(…\)` or `\[…\]`; null: none. Sums of money are none. */
export function formulaAt (text: string): Formula | null {
  const found = /^(?:\$\$([^$]+)\$\$|\\\(([\s\S]+?)\\\)|\\\[([\s\S]+?)\\\])/.exec(text)
  if (found !== null) {
    const tex = (found[1] ?? found[2] ?? found[3] ?? '').trim()
    // `\[note\]` is how Markdown writes brackets that are no link.
    if (tex === '' || /\n[ \t]*\n/.test(tex) || (found[3] !== undefined && !/[\\^_=+<>]/.test(tex))) return null
    return { raw: found[0], tex, display: found[2] === undefined }
  }
  // The signs stand against the formula, and no digit follows: `$5 and $10` is money.
  const [raw, tex] = /^\$(?![\s$])((?:[^$\\\n]|\\[^\n]|\n(?![ \t]*\n))*?[^\s\\$]|\\[^\s])\$(?![\d$A-Za-z])/.exec(text) ?? []
  return raw === undefined || tex === undefined || isMoney(tex) ? null : { raw, tex, display: false }
}

/** `5 to `, `100k, or US`: begins with a number, goes on in words, and has nothing that only formulas have. */
const isMoney = (tex: string): boolean => /^\d[\d.,]*\s*[a-z]*[\s/,.-]/i.test(tex) && !/[\\^_={}]/.test(tex) && /[a-z]{2}/i.test(tex)
