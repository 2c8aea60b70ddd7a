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
    blocked: (count) => `このページのネットワークリクエスト ${count} 件をブロックしました。回答のページはネットワークを使えません。`
  },
  view: {
    of: (tool, server) => `${server} の ${tool}`,
    gone: (server) => `${server} のこの呼び出しのビューはもう保存されていません。結果は上の手順にあります。`,
    reaches: 'このビューは次のアドレスへの接続を求めています：',
    show: 'ビューを表示',
    close: 'ビューを閉じる',
    closed: 'ビューは閉じています。',
    held: 'このビューは前回、起動が終わらなかったため、自動では起動しません。',
    asksTool: (tool, server) => `${server} の ${tool} を使いますか？`,
    asksLink: (server) => `${server} のためにページを開きますか？`,
    asksResource: (server) => `${server} から読み取りますか？`,
    full: '全画面',
    leaveFull: '全画面を終了',
    calls: (n) => `ビューは ${n} 回呼び出しました`,
    states: {
      running: '実行中',
      failed: '失敗',
      refused: '実行されていません',
      lost: 'この呼び出しの途中でサービスが終了しました。効果があったかどうかは不明です。'
    },
    fromView: 'エージェントではなく、ビューからの要求です。',
    once: '一度だけ許可',
    inChat: 'このチャットで許可',
    deny: '拒否',
    openLink: '開く'
  }
}
