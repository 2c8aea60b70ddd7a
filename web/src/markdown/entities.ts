const named: Record<string, string> = {
  amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0', ensp: '\u2002', emsp: '\u2003', thinsp: '\u2009', shy: '\u00ad',
  copy: '©', reg: '®', trade: '™', hellip: '…', mdash: '—', ndash: '–', bull: '•', middot: '·',
  lsquo: '‘', rsquo: '’', ldquo: '“', rdquo: '”', laquo: '«', raquo: '»', sect: '§', para: '¶', deg: '°', plusmn: '±', times: '×',
  divide: '÷', minus: '−', frac12: '½', frac14: '¼', frac34: '¾', sup2: '²', sup3: '³', micro: 'µ',
  larr: '←', uarr: '↑', rarr: '→', darr: '↓', harr: '↔', lArr: '⇐', rArr: '⇒', hArr: '⇔', le: '≤', ge: '≥', ne: '≠', asymp: '≈', equiv: '≡',
  infin: '∞', sum: '∑', prod: '∏', radic: '√', int: '∫', part: '∂', isin: '∈', forall: '∀',
  exist: '∃', empty: '∅', cap: '∩', cup: '∪', sub: '⊂', sup: '⊃', and: '∧', or: '∨', alpha: 'α', beta: 'β', gamma: 'γ', delta: 'δ',
  epsilon: 'ε', theta: 'θ', lambda: 'λ', mu: 'μ', pi: 'π', sigma: 'σ', tau: 'τ', phi: 'φ', omega: 'ω',
  Delta: 'Δ', Sigma: 'Σ', Omega: 'Ω', euro: '€', pound: '£', yen: '¥', cent: '¢', check: '✓', cross: '✗', star: '☆', hearts: '♥',
  agrave: 'à', aacute: 'á', acirc: 'â', auml: 'ä', aring: 'å', aelig: 'æ', ccedil: 'ç', egrave: 'è',
  eacute: 'é', ecirc: 'ê', euml: 'ë', iacute: 'í', ntilde: 'ñ', oacute: 'ó', ocirc: 'ô', ouml: 'ö', oslash: 'ø', uacute: 'ú', uuml: 'ü',
  szlig: 'ß', Auml: 'Ä', Ouml: 'Ö', Uuml: 'Ü', Eacute: 'É'
}

/** Decodes entities such as `&rarr;` or `&#39;`. Unknown ones stay as they are. */
export function decodeEntities (text: string): string {
  if (!text.includes('&')) return text
  return text.replace(/&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([A-Za-z][A-Za-z\d]{1,10}));/g, (
    whole, decimal?: string, hex?: string, name?: string
  ) => {
    if (name !== undefined) return Object.hasOwn(named, name) ? named[name] ?? whole : whole
    const code = decimal !== undefined ? Number(decimal) : parseInt(hex ?? '', 16)
    return code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ? '\ufffd' : String.fromCodePoint(code)
  })
}
