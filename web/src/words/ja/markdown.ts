import { type Words } from '../en/index.js'

export const markdown: Words['markdown'] = {
  code: 'コード',
  codeIn: (language) => `コード：${language}`,
  download: 'ダウンロード',
  wrap: '行を折り返す',
  table: '表',
  footnotes: '脚注',
  footnote: (label) => `脚注 ${label}`,
  backToText: '本文に戻る',
  done: '完了',
  notDone: '未完了',
  image: (name) => `画像：${name}`,
  tooDeep: '長すぎるか深すぎて整形できないため、そのまま表示しています。'
}
