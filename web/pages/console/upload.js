// Uploading a picture beside the field that takes its address.
import { html, useEffect, useRef, useState } from '../vendor/preact-htm.js';
import { problemText, t } from '../shared/texts.js';
import { upload } from '../shared/server.js';
import { ownPath } from '../shared/settings.js';
import { Picture } from '../shared/parts.js';
import { counted } from './counted.js';
import { may } from './me.js';

const kinds = ['image/jpeg', 'image/png', 'image/webp'];
const mostBytes = 1 << 20;

// wrongFile says why a file can't be uploaded, before it is sent.
function wrongFile({ type, size }) {
  if (!kinds.includes(type)) return t('upload_kind');
  return size > mostBytes ? t('upload_large') : undefined;
}

// Upload is a place to drop a picture, with a button that asks for a file. It types the address of the picture into the
// field that it is part of, as a reader would. value is what that field has, where its form keeps it; wrong takes why a
// file was refused.
export function Upload({ value, wrong }) {
  const place = useRef();
  const chooser = useRef();
  const sending = useRef(new AbortController()); // the file that was chosen last
  const [typed, type] = useState(value ?? '');
  const [over, hover] = useState(false);
  const [state, set] = useState({});
  const stop = () => sending.current.abort();
  const field = () => place.current.closest('.field').querySelector('input');
  useEffect(() => {
    const input = field();
    const follow = () => {
      type(input.value);
      wrong();
    };
    follow();
    input.addEventListener('input', follow);
    return () => {
      input.removeEventListener('input', follow);
      stop();
    };
  }, []);
  if (!may('POST /pictures')) return html`<div ref=${place} hidden></div>`;
  const send = async (file) => {
    if (!file) return;
    stop();
    sending.current = new AbortController();
    const { signal } = sending.current;
    const refused = wrongFile(file);
    wrong(refused);
    set(refused ? {} : { busy: file.name, part: 0 });
    if (refused) return;
    try {
      const shop = field().form?.elements.shop_id?.value;
      const path = `/pictures${shop ? `?shop_id=${encodeURIComponent(shop)}` : ''}`;
      const kept = await upload(path, file, { by: counted((part) => set({ busy: file.name, part })), signal });
      if (signal.aborted) return;
      const input = field();
      input.value = kept.image_url;
      input.dispatchEvent(new Event('input', { bubbles: true }));
      set({ done: file.name });
    } catch (error) {
      if (signal.aborted) return;
      set({});
      wrong(problemText(error));
    }
  };
  const cancel = () => {
    stop();
    set({});
  };
  const choose = (e) => {
    send(e.currentTarget.files[0]);
    e.currentTarget.value = ''; // the same file may be chosen again
  };
  const drag = (is) => (e) => {
    e.preventDefault();
    hover(is);
  };
  const drop = (e) => {
    drag(false)(e);
    send(e.dataTransfer.files[0]);
  };
  const url = value ?? typed;
  const uploaded = url.startsWith(ownPath('/pictures/')); // others may be of hosts that no page here may ask
  return html`<div ref=${place} class="upload ${over ? 'over' : ''}" onDragOver=${drag(true)} onDragLeave=${drag(false)}
      onDrop=${drop}>
    ${uploaded && html`<span class="thumb"><${Picture} url=${url} title="?" /></span>`}
    <input ref=${chooser} type="file" hidden accept=${kinds.join()} onChange=${choose} />
    <button type="button" class="quiet" aria-disabled=${state.busy ? 'true' : undefined}
      onClick=${() => state.busy || chooser.current.click()}>${t('upload')}</button>
    <span class="muted">${t('upload_help')}</span>
    <p role="status">${state.busy && t('uploading', { file: state.busy })}
      ${state.done && t('uploaded', { file: state.done })}</p>
    ${
      state.busy &&
      html`<span class="row sending"><${Sent} part=${state.part} />
      <button type="button" class="quiet" onClick=${cancel}>${t('cancel')}</button></span>`
    }</div>`;
}

// Sent shows which part of a file has left. Once all of it has, the server looks at it, which may take a while.
function Sent({ part }) {
  return html`<progress key=${part < 1} max="1" value=${part < 1 ? part : undefined}
    aria-label=${t('upload_sent')}></progress>`;
}
