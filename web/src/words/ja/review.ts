import { type Words } from '../en/index.js'

export const review: Words['review'] = {
  title: 'レビュー',
  sentTitle: (count) => `レビュー（コメント ${count} 件）`,
  asSent: 'エージェントが読む内容',
  label: (line, end) => line === end ? `${line} 行目にコメント` : `${line}～${end} 行目にコメント`,
  hint: '何を変更または説明してほしいですか？',
  add: 'レビューに追加',
  count: (count) => `コメント ${count} 件`,
  send: (count) => `コメント ${count} 件を送信`,
  sent: 'レビューを送信しました。',
  queued: 'レビューを待機中にしました。このターンの後にエージェントに届きます。',
  commentOn: (name, line) => `${name} の ${line} 行目にコメント`,
  actions: 'このコメントの操作',
  show: '該当行を表示',
  edit: '編集',
  resolve: '解決',
  reopen: '再オープン',
  remove: '削除',
  removed: 'コメントを削除しました。',
  answer: 'エージェントの回答',
  gone: '該当行が見つかりません',
  found: { moved: '移動', changed: '行が変更', deleted: '行が削除' },
  states: { draft: '下書き', sent: '送信済み', changed: '変更あり', answered: '回答済み', open: '未解決', resolved: '解決済み' },
  see: '確認済みにする',
  unsee: '未確認にする',
  seen: '確認済み'
}
