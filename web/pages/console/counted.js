// Sending a file so that one sees how much of it has left, which fetch doesn't tell.
import { OnrushError } from '../../client/onrush.js';

/**
 * counted returns a fetch that tells which part of the body has left, from 0 to 1.
 *
 * @param {(part: number) => void} tell
 * @returns {(url: string, options: any) => Promise<Response>}
 */
export const counted =
  (tell) =>
  (url, { method, headers, body, signal }) =>
    new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open(method, url);
      for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
      request.responseType = 'blob';
      request.upload.onprogress = ({ loaded, total }) => tell(loaded / total);
      request.onload = () => {
        const type = request.getResponseHeader('Content-Type') ?? '';
        resolve(new Response(request.response, { status: request.status, headers: { 'Content-Type': type } }));
      };
      request.onerror = () => reject(new OnrushError({ code: 'unreachable' }));
      request.onabort = () => reject(signal.reason);
      signal.addEventListener('abort', () => request.abort());
      request.send(body);
    });
