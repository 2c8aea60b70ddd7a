export const markdown = {
  code: 'Code',
  codeIn: (language: string): string => `Code: ${language}`,
  download: 'Download',
  wrap: 'Wrap lines',
  table: 'Table',
  footnotes: 'Footnotes',
  footnote: (label: string): string => `Footnote ${label}`,
  backToText: 'Back to the text',
  done: 'Done',
  notDone: 'Not done',
  image: (name: string): string => `Image: ${name}`,
  tooDeep: 'Too long or too deep to be laid out: shown as it is.'
}
