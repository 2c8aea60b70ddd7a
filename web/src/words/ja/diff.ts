import { type Words } from '../en/index.js'

export const diff: Words['diff'] = {
  comment: 'コメント',
  commentOn: (line) => `${line} 行目にコメント`,
  revert: '戻す',
  added: '追加',
  removed: '削除',
  counts: (added, removed) => `追加 ${added}、削除 ${removed}`,
  unchanged: (lines) => `変更のない ${lines.toLocaleString('ja')} 行`,
  created: '新規',
  deleted: '削除',
  renamed: (from) => `旧名 ${from}`,
  before: '変更前',
  after: '変更後',
  pixels: (width, height) => `${width} × ${height} px`,
  noPicture: 'この画像は表示できません。',
  binary: 'バイナリーファイルのため、内容を表示できません。',
  ofDocument: '文書のテキスト:',
  sameDocument: '文書のテキストは同じです。レイアウトなど、ファイルのほかの部分が変わりました。',
  noDocument: 'この文書のテキストは読み取れません。',
  otherDocument: '2 つの版は共通点が少なすぎて比較できません。',
  noChange: '変更はありません。',
  noNewline: '末尾に改行なし',
  truncated: '残りの変更は長すぎるため表示できません。'
}
