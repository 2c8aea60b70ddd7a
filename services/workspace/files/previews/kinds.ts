const officeKinds = ['docx', 'xlsx', 'pptx', 'odt', 'ods', 'odp'] as const
export type OfficeKind = typeof officeKinds[number]

export type Cell = string | number | boolean | null

/** The parts of an office document, apart from its whole text. */
export interface OfficePreview {
  kind: OfficeKind
  /** Whether the document contains more than is shown. */
  isTruncated: boolean
  /** xlsx, ods: the sheets, in the workbook's order. */
  sheets?: Array<{ name: string, rows: Cell[][] }>
  /** pptx, odp: the text of each slide, in the order they are shown. */
  slides?: string[]
}

/** Returns the kind of an office document by its extension, null for other files. A wrong extension is found when the file is read. */
export function officeKind (name: string): OfficeKind | null {
  return officeKinds.find((kind) => name.toLowerCase().endsWith(`.${kind}`)) ?? null
}

/** Whether a file is a document whose text is not simply its bytes: an office document, or a notebook. */
export const isDocument = (name: string): boolean => officeKind(name) !== null || /\.ipynb$/i.test(name)
