import { type Words } from '../en/index.js'

export const queue: Words['queue'] = {
  title: (count) => `待機中のメッセージ ${count} 件`,
  list: '待機中のメッセージ',
  held: {
    failed: '前のターンが失敗したため、キューはあなたを待っています。',
    cancelled: '前のターンを停止したため、キューはあなたを待っています。',
    budget: '予算を使い切ったため、キューはあなたを待っています。',
    restored: 'バックアップを復元したため、キューはあなたを待っています。'
  },
  waiting: '回答するとキューは続きます。',
  limit: 'プロバイダーを待っているターンの後に、キューは続きます。',
  goOn: '続ける',
  drop: 'すべて破棄',
  dropped: (count) => `待機中のメッセージ ${count} 件を破棄しました`,
  move: (text) => `「${text}」を移動`,
  moveHint: 'ドラッグするか、矢印キーを押します。',
  moveUp: '上へ移動',
  moveDown: '下へ移動',
  moved: (place, of) => `${of} 件中 ${place} 番目に移動しました`,
  more: (text) => `「${text}」の操作`,
  sendNow: '今すぐ送信',
  addNow: '実行中のターンに追加',
  steered: 'エージェントに届きました。次のステップで読みます。',
  next: '実行中のターンには追加できません。次に送られます。',
  edit: '編集',
  editing: '待機中のメッセージ',
  save: '保存',
  remove: '削除',
  removed: 'キューから削除しました',
  files: (count) => `${count} ファイル`,
  from: (time) => `${time} 以降`,
  changedElsewhere: '別のデバイスがこのメッセージを変更しました。もう一度保存すると、その内容を置き換えます。',
  begun: 'このメッセージはすでにキューを出ました。テキストはメッセージ欄にあります。'
}
