import { dollarsIn } from '../dollars.js'
import { formatter } from '../formatter.js'
import { type Words } from '../en/index.js'

const dollars = dollarsIn('ja', 0.01)
const number = formatter(() => new Intl.NumberFormat('ja', { notation: 'compact', maximumFractionDigits: 1 }))

export const attempts: Words['attempts'] = {
  none: '試行はまだありません',
  noneText: 'チャットの入力欄にタスクを書き、横のメニューから「複数回試す」を選んでください。それぞれの試行は専用のコピーで作業します。',
  all: 'すべての試行',
  gone: 'これらの試行はもうありません。',
  count: (count) => `試行 ${count} 件`,
  carried: 'どの試行も、コミットしていない変更を含めて始まりました。',
  begin: {
    title: '複数回試す',
    note: '同じタスクを、それぞれ専用の git worktree とチャットで何度か行います。結果を比べて、1 つを採用できます。',
    noTask: '先に入力欄にタスクを書いてください。',
    count: '試行の回数',
    models: '順に使うモデル',
    addModel: 'モデルを追加',
    removeModel: (name) => `${name} を外す`,
    more: 'チェック、レビュアー、予算',
    check: 'チェック',
    checkHint: '各結果の中で実行するコマンド（例：npm test）。確認なしで、エージェントのコマンドと同じ制限の中で実行されます。インストール済みパッケージなど git が無視するものはワークツリーにありません。',
    reviewer: 'レビュアー',
    noReviewer: 'なし',
    budget: '予算（米ドル）',
    budgetHint: 'すべての試行の合計です。使い切ると停止します。',
    go: (count) => `${count} 件の試行を開始`
  },
  columns: { attempt: '試行', state: '状態', check: 'チェック', changes: '変更', cost: '費用', tokens: 'トークン', time: '時間' },
  name: (position, model) => model === null ? `試行 ${position}` : `${position} · ${model}`,
  states: {
    waiting: '待機中', running: '作業中', checking: 'チェック中', reviewing: 'レビュー中', done: '完了', failed: '失敗', cancelled: '停止', stopped: '予算切れ'
  },
  waitsForYou: 'あなた待ち',
  passed: '合格',
  failed: '不合格',
  noCheck: '–',
  files: (count) => `${count} ファイル`,
  noChange: '変更なし',
  cost: (amount) => amount === null || amount === 0 ? '–' : dollars(amount),
  tokens: (count) => number.format(count),
  tokensUsed: (count) => `${count} トークン`,
  best: '審査役のおすすめ',
  isTaken: '採用済み',
  judging: '審査役が比較しています…',
  judge: '審査役',
  review: 'レビュー',
  checkOutput: 'チェックの出力',
  answer: '回答',
  changes: '変更',
  openChat: 'チャットを開く',
  take: '採用',
  takeTitle: 'この試行を採用しますか？',
  takeNote: (files, folder) => `${files} ファイルの変更を ${folder} に適用します。その後そこで変わった内容は残ります。1 週間以内なら元に戻せます。`,
  took: (files) => `採用しました：${files} ファイルを変更しました。`,
  takeFile: 'ファイルを採用',
  takeHunk: 'ハンクを採用',
  undo: '元に戻す',
  undone: (files) => `元に戻しました：${files} ファイルを変更しました。`,
  stop: 'すべて停止',
  remove: 'ワークツリーを削除',
  removeTitle: 'ワークツリーを削除しますか？',
  removeNote: '採用もコミットもしていない変更は失われます。チャットは残ります。',
  removed: 'ワークツリーを削除しました。',
  noWorktree: 'このワークツリーは削除されました。',
  kept: (when) => `ワークツリーは ${when} に削除されます。`,
  budget: (used, limit) => `${limit} のうち ${used} を使用`,
  binary: 'バイナリーファイル'
}
