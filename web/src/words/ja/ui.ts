import { type Words } from '../en/index.js'

export const ui: Words['ui'] = {
  working: '作業中',
  showAll: (lines) => `${lines.toLocaleString('ja')} 行すべてを表示`,
  showLess: '折りたたむ',
  screenFailed: 'この画面でエラーが起きました。再読み込みしてください。チャットに入力した内容は残ります。',
  partMissing: 'アプリのこの部分を読み込めませんでした。',
  partOfBefore: 'アプリが更新されました。続けるには再読み込みしてください。チャットに入力した内容は残ります。',
  notifications: 'アプリからのお知らせ',
  dismiss: '閉じる',
  resize: 'サイズを変更',
  optional: '任意',
  context: (percent) => `コンテキスト：${percent}% 使用`,
  copyFailed: 'テキストをコピーできませんでした。選択して自分でコピーしてください。',
  asTable: '表で表示'
}
