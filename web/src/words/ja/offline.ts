import { type Words } from '../en/index.js'

export const offline: Words['offline'] = {
  keptNote: (time) => `${time} にこのデバイスに保存。現在の状態を読み込んでいます`,
  cutOff: 'サービスに接続できません。このデバイスに保存された内容は読めます。メッセージは送信待ちになり、つながると送信されます。',
  offline: 'オフラインです。このデバイスに保存された内容は読めます。メッセージは送信待ちになり、オンラインに戻ると送信されます。',
  waiting: (count) => `送信待ちのメッセージ ${count} 件。`,
  unsent: '未送信',
  waits: '接続を待っています',
  unsure: '届いている可能性があります。再送信の前に確認します',
  onItsWay: '送信中',
  sentLater: '送信待ちのメッセージを送信しました。',
  open: '開く',
  edit: 'メッセージ欄に戻す',
  remove: '破棄',
  removed: 'メッセージを破棄しました。',
  refused: (why) => `送信できませんでした：${why}`,
  earlier: '前回のサインインより前に書かれたため、自動では送信しません',
  sendNow: '送信',
  gone: 'すでに送信されています。',
  filesWait: (count) => `共有された ${count} 件のファイルをこのデバイスに保存しました。サービスにつながると添付されます。`,
  sharedLeftOut: (names, isLarge) =>
    `除外：${names.slice(0, 3).join('、')}${names.length > 3 ? `、他 ${names.length - 3} 件` : ''}。` +
    (isLarge ? '一度に共有できるのは 512 MiB までです。' : '1 通に添付できるのは 20 件までです。'),
  sharedWaits: 'このアプリに共有されたものがあります。',
  shareFailed: '共有された内容をこのデバイスに保存できませんでした。もう一度共有するか、量を減らしてください。',
  newVersion: 'アプリの新しいバージョンがあります。',
  later: '後で',
  reload: '再読み込み'
}
