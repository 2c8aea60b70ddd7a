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
  tooDeep: '長すぎるか深すぎて整形できないため、そのまま表示しています。',
  artifact: {
    drawn: { diagram: '図', picture: '画像', page: 'ページ' },
    asCode: 'コード',
    shownAs: '表示',
    open: '大きく開く',
    stop: '停止',
    run: 'ページを表示',
    versions: 'バージョン',
    version: (at, of) => `バージョン ${at}/${of}`,
    drawing: '描画しています…',
    noDiagram: 'この図は描画できません。コードを表示します。',
    noPicture: 'この画像は表示できません。コードを表示します。',
    notLoaded: '図を描画する部分を読み込めませんでした。コードを表示します。',
    tookTooLong: '前回は描画が終わらなかったため、自動では描画しません。',
    drawAnyway: 'それでも描画する',
    stuck: 'このページは応答していません。',
    blocked: (count) => `ネットワークからの ${count} 件は読み込まれませんでした。回答のページはネットワークを使えません。`
  }
}
