const officeKinds = ['docx', 'xlsx', 'pptx', 'odt', 'ods', 'odp'] as const
export type OfficeKind = typeof officeKinds[number]

export type Cell = string | number | boolean | null

/** What an office document holds, apart from its text as a whole. */
export interface OfficePreview {
  kind: OfficeKind
  /** There is more in the document than is shown. */
  isTruncated: boolean
  /** xlsx, ods: the tables, in the workbook's order. */
  sheets?: Array<{ name: string, rows: Cell[][] }>
  /** pptx, odp: the text of each slide, in the order they are shown. */
  slides?: string[]
}

/** By the extension: documents of other programs have other extensions, and a wrong one is found when it is read. */
export function officeKind (name: string): OfficeKind | null {
  return officeKinds.find((kind) => name.toLowerCase().endsWith(`.${kind}`)) ?? null
}

/** Whether a file is a document of which people read another text than its bytes are: an office document, or a notebook. */
export const isDocument = (name: string): boolean => officeKind(name) !== null || /\.ipynb$/i.test(name)
