/**
 * Characters that a screen does not show, or that reverse the order of what it shows: a person cannot approve what they cannot see.
 * Joiners, which emoji contain, are in the next list.
 */
const hidden = /[\p{Cc}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\ufff9-\ufffb](?<![\t\n\u200c\u200d]|\p{Extended_Pictographic}[\ufe0e\ufe0f])/u

/**
 * Characters that look like the shell's own (space, quotes, separators, dashes) and are ordinary letters to it. Inside quotes they are
 * prose; outside, they make the line do something other than it seems to.
 */

const mistakable = /[\u00a0\u1680\u2000-\u200d\u202f\u205f\u2800\u3000\u00b4\u02b9-\u02be\u02c8\u02ca\u02cb\u037e\u0387\u0589\u05c0\u05c3\u06d4\u01c0\u01c1\u01c3\u2010-\u201f\u2024\u2025\u2032-\u2037\u203a\u2039\u2044\u2212\u2215\u2216\u2217\u2223\u2236\u2238\u223c\u2758\u275b-\u275e\u29f5\u29f8\u29f9\ua789\ufe50-\ufe6b\uff01-\uff65]/u

/** Letters of scripts with letters that look like Latin ones. */
const foreignTwins = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}\p{Script=Lisu}\u0131\u0251\u0261\u1d00-\u1dbf]/u

export const hasHidden = (text: string): boolean => hidden.test(text)

/** Call it for text outside quotes. */
export const hasMistakable = (text: string): boolean => mistakable.test(text)

/** Returns whether a name can be mistaken for another. Accents and other writing systems are fine. */
export function hasLookalikes (name: string): boolean {
  return hidden.test(name) || mistakable.test(name) || foreignTwins.test(name) || /[\t\n]/.test(name) ||
    name.normalize('NFKC') !== name.normalize('NFC')
}
