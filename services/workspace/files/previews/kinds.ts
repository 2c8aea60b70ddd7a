export type OfficeKind = 'docx' | 'xlsx' | 'pptx'

export type Cell = string | number | boolean | null

/** What an office document holds, apart from its text as a whole. */
export interface OfficePreview {
  kind: OfficeKind
  /** There is more in the document than is shown. */
  isTruncated: boolean
  /** xlsx: the tables, in the workbook's order. */
  sheets?: Array<{ name: string, rows: Cell[][] }>
  /** pptx: the text of each slide, in the order they are shown. */
  slides?: string[]
}

/** By the extension: documents of other programs have other extensions, and a wrong one is found when it is read. */
export function officeKind (name: string): OfficeKind | null {
  return (/\.(docx|xlsx|pptx)$/i.exec(name)?.[1]?.toLowerCase() ?? null) as OfficeKind | null
}
