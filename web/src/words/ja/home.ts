import { type Words } from '../en/index.js'

export const home: Words['home'] = {
  greeting: (hour) => hour < 5 ? 'こんばんは。' : hour < 12 ? 'おはようございます。' : hour < 18 ? 'こんにちは。' : 'こんばんは。',
  since: '離れている間：',
  waiting: (count) => `あなた待ち ${count} 件`,
  finished: (count) => `完了 ${count} 件`,
  filesChanged: (count) => `${count} ファイルを変更`,
  between: '、',
  end: '。',
  quiet: 'お知らせはありません。何から始めましょうか？',
  ask: '何から始めましょうか？',
  temporary: '一時チャット'
}

/** Texts below the composer on the start page. */
export const homeRows: Words['homeRows'] = {
  waiting: 'あなた待ち',
  finished: '完了',
  now: '実行中',
  markSeen: 'すべて確認済みにする',
  showAll: (count) => `${count} 件すべてを表示`,
  states: { done: '完了', failed: '失敗', stopped: '停止' },
  failedTask: 'タスクが失敗',
  files: (count) => `${count} ファイル`,
  queued: (count) => `待機中の実行 ${count} 件`,
  review: 'レビュー',
  answer: '回答',
  open: '開く',
  tryOne: '例',
  examples: [
    'このフォルダーに何があり、それぞれ何のためのものか教えてください。',
    'もっと簡潔にできるところを探し、変更する前に見せてください。',
    '平日の毎朝、昨日からの変更を 10 行で教えてください。'
  ]
}
